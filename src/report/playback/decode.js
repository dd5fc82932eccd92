// What the page holds of the shot. `about` says what lies where in the bytes, which are little-endian, as every
// browser's typed arrays are. Lengths are metres, Y is up.

/** The bytes that base64 stands for. */
function decodeBase64(text) {
  const letters = atob(text.trim());
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i += 1) bytes[i] = letters.charCodeAt(i);
  return bytes.buffer;
}

/** The shot: frames are counted from 0 here, `numbers` has their numbers in the shot. */
class Shot {
  constructor(about, buffer) {
    this.about = about;
    this.buffer = buffer;
    this.numbers = about.frames;
    this.times = about.times;
    this.surfaces = about.surfaces.map((surface) => surface && new Surface(surface, buffer));
    this.bodies = about.bodies.map((body) => new Body(body, this.surfaces[body.surface], buffer));
    this.cameras = about.cameras.map((camera) => ({ name: camera.name, sights: floats(buffer, camera.sights, 10) }));
  }

  /** The frame that is nearest to a number of the shot. */
  nearest(number) {
    let best = 0;
    for (let i = 1; i < this.numbers.length; i += 1) {
      if (Math.abs(this.numbers[i] - number) < Math.abs(this.numbers[best] - number)) best = i;
    }
    return best;
  }

  /** Where camera `index` stands at frame `frame`: `position`, `lookAt`, `up`, and the focal length `lens` [mm]. */
  sight(index, frame) {
    const { sights } = this.cameras[index];
    const at = sights.length > 10 ? 10 * frame : 0;
    const vector = (i) => Array.from(sights.subarray(at + i, at + i + 3));
    return { position: vector(0), lookAt: vector(3), up: vector(6), lens: sights[at + 9] };
  }

  /** Whether camera `index` moves. */
  moves(index) {
    return this.cameras[index].sights.length > 10;
  }
}

/** `count` rows of `width` numbers. */
function floats(buffer, { at, count }, width) {
  return new Float32Array(buffer, at, count * width);
}

/** The triangles of one or more bodies. */
class Surface {
  constructor(about, buffer) {
    this.vertices = about.vertices;
    this.normals = about.normals;
    /** Each different corner: its vertex, and the number of its normal. */
    this.corners = new Uint32Array(buffer, about.corners.at, 2 * about.corners.count);
    this.triangles = new Uint32Array(buffer, about.triangles.at, 3 * about.triangles.count);
    /** Places in the body's own space, where it keeps its shape. */
    this.points = about.points === undefined ? null : new Float32Array(buffer, about.points, 3 * about.vertices);
  }

  get cornerCount() {
    return this.corners.length / 2;
  }

  /** Place and smooth normal of every corner, six numbers each, where its vertices are at `places`. */
  shaded(places) {
    const { corners, triangles } = this;
    const normals = new Float32Array(3 * this.normals);
    for (let t = 0; t < triangles.length; t += 3) {
      const [i, j, k] = [triangles[t], triangles[t + 1], triangles[t + 2]];
      const [a, b, c] = [3 * corners[2 * i], 3 * corners[2 * j], 3 * corners[2 * k]];
      const [ux, uy, uz] = [places[b] - places[a], places[b + 1] - places[a + 1], places[b + 2] - places[a + 2]];
      const [vx, vy, vz] = [places[c] - places[a], places[c + 1] - places[a + 1], places[c + 2] - places[a + 2]];
      // As long as the triangle is large: large ones count for more.
      const [nx, ny, nz] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
      for (const corner of [i, j, k]) {
        const n = 3 * corners[2 * corner + 1];
        normals[n] += nx;
        normals[n + 1] += ny;
        normals[n + 2] += nz;
      }
    }
    const out = new Float32Array(6 * this.cornerCount);
    for (let i = 0; i < this.cornerCount; i += 1) {
      const [p, n] = [3 * corners[2 * i], 3 * corners[2 * i + 1]];
      const length = Math.hypot(normals[n], normals[n + 1], normals[n + 2]) || 1;
      for (let axis = 0; axis < 3; axis += 1) {
        out[6 * i + axis] = places[p + axis];
        out[6 * i + 3 + axis] = normals[n + axis] / length;
      }
    }
    return out;
  }

  /** Every edge once, as pairs of corners. */
  edges() {
    const { corners, triangles } = this;
    const known = new Set();
    const pairs = [];
    for (let t = 0; t < triangles.length; t += 3) {
      for (let side = 0; side < 3; side += 1) {
        const [i, j] = [triangles[t + side], triangles[t + ((side + 1) % 3)]];
        const [a, b] = [corners[2 * i], corners[2 * j]];
        const key = Math.min(a, b) * this.vertices + Math.max(a, b);
        if (known.has(key)) continue;
        known.add(key);
        pairs.push(i, j);
      }
    }
    return new Uint32Array(pairs);
  }
}

/** A body: it has a pose a frame, or places of its vertices in the world. */
class Body {
  constructor(about, surface, buffer) {
    this.about = about;
    this.name = about.name;
    this.surface = surface;
    this.poses = about.poses ? floats(buffer, about.poses, 7) : null;
    this.buffer = buffer;
  }

  get deforms() {
    return this.poses === null;
  }

  isThere(frame) {
    const range = this.about.there;
    return !range || (frame >= range[0] && frame <= range[1]);
  }

  /** The places of its surface's vertices in the world at a frame, of a body that deforms. */
  places(frame) {
    const { at, low, step } = this.about.places;
    const count = 3 * this.surface.vertices;
    const steps = new Uint16Array(this.buffer, at + 2 * count * frame, count);
    const out = new Float32Array(count);
    for (let i = 0; i < count; i += 1) out[i] = low[i % 3] + steps[i] * step[i % 3];
    return out;
  }

  /** Its pose at a frame as a matrix by columns, of a body that keeps its shape. */
  pose(frame) {
    const at = this.poses.length > 7 ? 7 * frame : 0;
    const [tx, ty, tz, x, y, z, w] = this.poses.subarray(at, at + 7);
    return new Float32Array([
      1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0,
      2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0,
      2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0,
      tx, ty, tz, 1,
    ]);
  }
}
