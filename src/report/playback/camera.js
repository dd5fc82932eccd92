// Vectors, matrices (by columns) and the eye that people turn about what they look at.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => scale(a, 1 / (Math.hypot(...a) || 1));

/** a * b */
function multiplied(a, b) {
  const out = new Float32Array(16);
  for (let column = 0; column < 4; column += 1) {
    for (let row = 0; row < 4; row += 1) {
      let sum = 0;
      for (let k = 0; k < 4; k += 1) sum += a[4 * k + row] * b[4 * column + k];
      out[4 * column + row] = sum;
    }
  }
  return out;
}

/** From the world into a space whose axes are `right`, `up` and against `forward`, about `eye`. */
function viewMatrix({ eye, right, up, forward }) {
  return new Float32Array([
    right[0], up[0], -forward[0], 0,
    right[1], up[1], -forward[1], 0,
    right[2], up[2], -forward[2], 0,
    -dot(right, eye), -dot(up, eye), dot(forward, eye), 1,
  ]);
}

/** What is seen within `tan` (half the width and height at distance 1), from `near` to `far`. */
function perspective(tan, near, far) {
  const depth = 1 / (near - far);
  return new Float32Array([
    1 / tan[0], 0, 0, 0, 0, 1 / tan[1], 0, 0, 0, 0, (far + near) * depth, -1, 0, 0, 2 * far * near * depth, 0,
  ]);
}

/** What is seen without perspective within `half` of the middle on each side, from 0 to `far`. */
function parallel(half, far) {
  return new Float32Array([1 / half, 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, -2 / far, 0, 0, 0, -1, 1]);
}

/** The axes of a camera; straight up or down, the top of its picture is -Z. */
function axesOf({ position, lookAt, up }) {
  const forward = unit(sub(lookAt, position));
  const across = cross(forward, up);
  const right = Math.hypot(...across) < 1e-3 * Math.hypot(...up) ? [1, 0, 0] : unit(across);
  return { eye: position, right, up: cross(right, forward), forward };
}

/** Half the width and height, at distance 1, of a field of `aspect` that holds the whole of the shot's picture. */
function fieldOf(lens, [width, height], aspect) {
  const half = 18 / lens / Math.max(width, height);
  const [across, upright] = [half * width, half * height];
  return aspect > width / height ? [upright * aspect, upright] : [across, across / aspect];
}

/** Steepest look up or down [radians]: short of straight, where left and right would turn over. */
const STEEPEST = 1.55;

/** An eye that stays upright and turns about a pivot. */
class Orbit {
  constructor(pivot, distance, yaw, pitch, lens) {
    Object.assign(this, { pivot, distance, yaw, pitch, lens });
  }

  /** As a camera sees it, about the place ahead of it that is as far away as `center`, in a shot of `radius`. */
  static ofSight(sight, center, radius) {
    const { forward } = axesOf(sight);
    const ahead = dot(sub(center, sight.position), forward);
    const distance = ahead > 0.05 * radius ? ahead : radius;
    const pivot = add(sight.position, scale(forward, distance));
    const flat = Math.hypot(forward[0], forward[2]);
    const yaw = flat > 1e-3 ? Math.atan2(-forward[0], -forward[2]) : 0;
    const pitch = Math.max(-STEEPEST, Math.min(STEEPEST, Math.atan2(forward[1], flat)));
    return new Orbit(pivot, distance, yaw, pitch, sight.lens);
  }

  axes() {
    const flat = Math.cos(this.pitch);
    const forward = [-Math.sin(this.yaw) * flat, Math.sin(this.pitch), -Math.cos(this.yaw) * flat];
    const right = [Math.cos(this.yaw), 0, -Math.sin(this.yaw)];
    const eye = sub(this.pivot, scale(forward, this.distance));
    return { eye, right, up: cross(right, forward), forward };
  }

  /** Turns by parts of the picture's height. */
  turn(across, down) {
    this.yaw -= 3 * across;
    this.pitch = Math.max(-STEEPEST, Math.min(STEEPEST, this.pitch - 3 * down));
  }

  /** Shifts so that what lies at the pivot goes along with the pointer; parts of the picture's height, `tan` half of it. */
  shift(across, down, tan) {
    const { right, up } = this.axes();
    const size = 2 * tan * this.distance;
    this.pivot = add(this.pivot, add(scale(right, -across * size), scale(up, down * size)));
  }

  /** Comes nearer (below 1) or goes away (above). */
  zoom(factor, radius) {
    this.distance = Math.max(1e-3 * radius, Math.min(50 * radius, this.distance * factor));
  }
}
