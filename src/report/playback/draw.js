// Draws a frame of the shot.

/** Pixels of the picture of shadows along each side. */
const SHADOW_SIZE = 2048;
const IDENTITY = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);

/** A program and the places of its uniforms. */
class Program {
  constructor(gl, [vertex, fragment]) {
    this.gl = gl;
    this.program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
        throw new Error(gl.getShaderInfoLog(shader));
      }
    }
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS) && !gl.isContextLost()) {
      throw new Error(gl.getProgramInfoLog(this.program));
    }
    this.places = new Map();
  }

  use() {
    this.gl.useProgram(this.program);
  }

  /** Sets uniforms by name: numbers, vectors, matrices of 16; whole numbers and truths by `setInt`. */
  set(values) {
    const { gl } = this;
    for (const [name, value] of Object.entries(values)) {
      const place = this.place(name);
      if (typeof value === "number") gl.uniform1f(place, value);
      else if (value.length === 2) gl.uniform2fv(place, value);
      else if (value.length === 3) gl.uniform3fv(place, value);
      else if (value.length === 4) gl.uniform4fv(place, value);
      else gl.uniformMatrix4fv(place, false, value);
    }
  }

  setInt(name, value) {
    this.gl.uniform1i(this.place(name), value);
  }

  place(name) {
    if (!this.places.has(name)) this.places.set(name, this.gl.getUniformLocation(this.program, name));
    return this.places.get(name);
  }
}

/** Corners on the graphics processor, and how they make triangles and edges. */
class Geometry {
  constructor(gl, surface) {
    this.gl = gl;
    this.surface = surface;
    this.count = surface.triangles.length;
    this.corners = gl.createBuffer();
    this.faces = gl.createVertexArray();
    this.attach(this.faces, surface.triangles);
    this.lines = null;
  }

  attach(array, indices) {
    const { gl } = this;
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.corners);
    for (const [location, offset] of [[0, 0], [1, 12]]) {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, 3, gl.FLOAT, false, 24, offset);
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
  }

  place(places) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.corners);
    gl.bufferData(gl.ARRAY_BUFFER, this.surface.shaded(places), gl.DYNAMIC_DRAW);
  }

  draw() {
    this.gl.bindVertexArray(this.faces);
    this.gl.drawElements(this.gl.TRIANGLES, this.count, this.gl.UNSIGNED_INT, 0);
  }

  drawLines() {
    const { gl } = this;
    if (this.lines === null) {
      const edges = this.surface.edges();
      this.lines = { array: gl.createVertexArray(), count: edges.length };
      this.attach(this.lines.array, edges);
    }
    gl.bindVertexArray(this.lines.array);
    gl.drawElements(gl.LINES, this.lines.count, gl.UNSIGNED_INT, 0);
  }
}

class Renderer {
  /** Throws where WebGL 2 cannot be had. */
  constructor(canvas, shot) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
    if (!gl) throw new Error("WebGL 2 cannot be had");
    this.gl = gl;
    this.shot = shot;
    this.stage = shot.about.stage;
    this.programs = {
      body: new Program(gl, BODY),
      wire: new Program(gl, WIRE),
      shadow: new Program(gl, SHADOW),
      backdrop: new Program(gl, BACKDROP),
    };
    const rigid = new Map();
    this.actors = shot.bodies.map((body) => {
      if (body.deforms) return { body, geometry: new Geometry(gl, body.surface), frame: -1 };
      if (!rigid.has(body.surface)) {
        rigid.set(body.surface, new Geometry(gl, body.surface));
        rigid.get(body.surface).place(body.surface.points);
      }
      return { body, geometry: rigid.get(body.surface) };
    });
    this.floor = this.stage.floor ? floorOf(gl, this.stage) : null;
    this.reach = this.farthest();
    this.makeShadows();
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Distance from the middle within which everything is at the first frame, and the floor. */
  farthest() {
    let reach = this.floor ? this.stage.fade[1] : this.stage.radius;
    for (const { body } of this.actors) {
      const points = body.deforms ? body.places(0) : body.surface.points;
      const pose = body.deforms ? IDENTITY : body.pose(0);
      for (let i = 0; i < points.length; i += 3) {
        const at = [0, 1, 2].map((r) => pose[r] * points[i] + pose[4 + r] * points[i + 1] + pose[8 + r] * points[i + 2] + pose[12 + r]);
        reach = Math.max(reach, Math.hypot(...sub(at, this.stage.center)));
      }
    }
    return reach;
  }

  makeShadows() {
    const { gl } = this;
    this.shadows = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadows);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.LINEAR);
    for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, wrap, gl.CLAMP_TO_EDGE);
    this.target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadows, 0);
    gl.drawBuffers([gl.NONE]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    const { center, radius, key } = this.stage;
    const half = 1.25 * radius;
    const eye = add(center, scale(key, 4 * half));
    const axes = axesOf({ position: eye, lookAt: center, up: [0, 1, 0] });
    this.shadowFromWorld = multiplied(parallel(half, 8 * half), viewMatrix(axes));
  }

  /** Draws `frame` as the eye with these `axes` and half the field `tan` sees it, `distance` from what it looks at. */
  draw(frame, { axes, tan, distance }, { isHidden, wires }) {
    const { gl, stage, programs } = this;
    const there = this.actors.filter(({ body }) => body.isThere(frame) && !isHidden(body));
    for (const actor of there) {
      if (actor.body.deforms && actor.frame !== frame) {
        actor.geometry.place(actor.body.places(frame));
        actor.frame = frame;
      }
      actor.pose = actor.body.deforms ? IDENTITY : actor.body.pose(frame);
    }
    this.drawShadows(there);

    gl.viewport(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const far = Math.hypot(...sub(axes.eye, stage.center)) + 1.1 * this.reach;
    const near = Math.max(1e-5 * far, Math.min(0.02 * distance, 0.1 * stage.radius));
    const viewProjection = multiplied(perspective(tan, near, far), viewMatrix(axes));
    const { center, fade, radius, key } = stage;
    const common = { eye: axes.eye, key, shadowFromWorld: this.shadowFromWorld, center, fade, radius };

    programs.backdrop.use();
    programs.backdrop.set({ right: axes.right, up: axes.up, forward: axes.forward, tangents: tan });
    gl.depthMask(false);
    gl.bindVertexArray(null);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.depthMask(true);

    programs.body.use();
    programs.body.set({ ...common, viewProjection });
    programs.body.setInt("shadows", 0);
    gl.bindTexture(gl.TEXTURE_2D, this.shadows);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    if (this.floor && axes.eye[1] > stage.floor.height) {
      gl.polygonOffset(2, 4);
      this.dress({ color: stage.floor.color, roughness: 1, metallic: 0, opacity: 1, ground: true }, IDENTITY);
      this.floor.draw();
    }
    gl.polygonOffset(1, 1);
    const [solid, clear] = [true, false].map((is) => there.filter(({ body }) => (body.about.opacity >= 0.999) === is));
    for (const { body, geometry, pose } of solid) {
      this.dress(body.about, pose);
      geometry.draw();
    }
    if (clear.length > 0) this.drawClear(clear);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    if (wires) this.drawWires(there, viewProjection);
  }

  /** What light passes through: its far sides, then its near ones. */
  drawClear(actors) {
    const { gl } = this;
    gl.enable(gl.BLEND);
    gl.enable(gl.CULL_FACE);
    gl.depthMask(false);
    for (const side of [gl.FRONT, gl.BACK]) {
      gl.cullFace(side);
      for (const { body, geometry, pose } of actors) {
        this.dress(body.about, pose);
        geometry.draw();
      }
    }
    gl.depthMask(true);
    gl.disable(gl.CULL_FACE);
    gl.disable(gl.BLEND);
  }

  drawWires(actors, viewProjection) {
    const { gl, programs } = this;
    programs.wire.use();
    programs.wire.set({ viewProjection, ink: [0.05, 0.06, 0.08, 0.55] });
    gl.enable(gl.BLEND);
    for (const { geometry, pose } of actors) {
      programs.wire.set({ pose });
      geometry.drawLines();
    }
    gl.disable(gl.BLEND);
  }

  drawShadows(actors) {
    const { gl, programs } = this;
    gl.bindTexture(gl.TEXTURE_2D, null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    programs.shadow.use();
    programs.shadow.set({ viewProjection: this.shadowFromWorld });
    for (const { body, geometry, pose } of actors) {
      if (body.about.ground || body.about.opacity < 0.5) continue;
      programs.shadow.set({ pose });
      geometry.draw();
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  dress({ color, roughness, metallic, opacity, ground }, pose) {
    const { body } = this.programs;
    body.set({ color, roughness, metallic, opacity, pose });
    body.setInt("fades", ground ? 1 : 0);
  }
}

/** The studio's floor as far as it is seen. */
function floorOf(gl, { center, fade, floor }) {
  const [x, y, z] = [center[0], floor.height, center[2]];
  const size = fade[1];
  const surface = new Surface(
    { vertices: 4, normals: 1, corners: { at: 0, count: 4 }, triangles: { at: 32, count: 2 } },
    new Uint32Array([0, 0, 1, 0, 2, 0, 3, 0, 0, 2, 1, 0, 3, 2]).buffer,
  );
  const geometry = new Geometry(gl, surface);
  geometry.place([x - size, y, z - size, x + size, y, z - size, x + size, y, z + size, x - size, y, z + size]);
  return geometry;
}
