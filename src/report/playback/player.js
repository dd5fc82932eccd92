// The player: buttons, the line of frames, and what pointer and keys do.

/** Colours of marks, and what they say of a frame. */
const MARKS = {
  retake: { color: "#c8553d", what: "retakes" },
  touch: { color: "#0b5394", what: "first touches" },
  event: { color: "#4f7a3a", what: "other events" },
};
const SPEEDS = [1, 0.5, 0.25, 0.1];

/** A new element with attributes (those that begin with "on" are listeners) and what lies in it. */
function element(tag, attributes = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...inside);
  return made;
}

/** A colour as pages have it, of a linear one. */
function displayed(color) {
  return `rgb(${color.map((c) => Math.round(255 * Math.min(1, c) ** (1 / 2.2))).join(" ")})`;
}

class Player {
  constructor(root, shot) {
    this.root = root;
    this.shot = shot;
    this.frame = 0;
    this.playing = false;
    this.speed = 1;
    this.camera = 0;
    /** The eye that a person has turned; null while it is the camera's. */
    this.orbit = null;
    this.hidden = new Set(shot.bodies.filter((body) => !body.about.shown));
    this.wires = false;
    this.isDue = false;
    this.canvas = element("canvas", { tabindex: "0", "aria-label": "the shot in 3D" });
    this.renderer = new Renderer(this.canvas, shot);
    this.build();
    this.listen();
    this.show(0);
  }

  build() {
    const { shot } = this;
    const last = shot.numbers.length - 1;
    const button = (text, title, onclick) => element("button", { type: "button", title, onclick }, text);
    this.playButton = button("▶", "play (space)", () => this.toggle());
    this.slider = element("input", {
      type: "range", min: "0", max: String(last), step: "1", value: "0", "aria-label": "frame",
      oninput: () => this.jump(Number(this.slider.value)),
    });
    this.said = element("output");
    this.cameraButton = button("Camera", "as the camera sees it (C)", () => this.toCamera(this.camera));
    const choices = shot.cameras.map((camera, i) => element("option", { value: String(i) }, camera.name || "camera"));
    const cameras = element("select", { title: "camera", onchange: (e) => this.toCamera(Number(e.target.value)) }, ...choices);
    const speeds = SPEEDS.map((speed) => element("option", { value: String(speed) }, `${speed}×`));
    this.wireBox = element("input", { type: "checkbox", onchange: (e) => this.setWires(e.target.checked) });
    this.root.replaceChildren(
      element("div", { class: "picture" }, this.canvas),
      element("div", { class: "line" },
        this.playButton,
        button("|◂", "first frame (Home)", () => this.jump(0)),
        button("◂", "a frame back (←)", () => this.jump(this.frame - 1)),
        button("▸", "a frame on (→)", () => this.jump(this.frame + 1)),
        element("div", { class: "frames" }, this.marks(), this.slider),
        this.said),
      element("div", { class: "line" },
        this.cameraButton,
        ...(shot.cameras.length > 1 ? [cameras] : []),
        element("select", { title: "speed", onchange: (e) => { this.speed = Number(e.target.value); } }, ...speeds),
        element("label", {}, this.wireBox, "wires (W)"),
        button("Full screen", "and back", () => this.fullScreen()),
        element("span", { class: "hint" }, "drag turns · right button or two fingers shift · wheel (after a click) or pinch zooms"),
        this.legend()),
      this.bodies(),
    );
    const [width, height] = shot.about.picture;
    this.root.style.setProperty("--shape", `${width} / ${height}`);
    this.root.classList.add("plays");
    document.documentElement.classList.add("with-playback");
  }

  /** Marks above the line of frames. */
  marks() {
    const last = Math.max(1, this.shot.numbers.length - 1);
    const marks = this.shot.about.marks.map(({ frame, kind, text }) => {
      const at = this.shot.nearest(frame);
      return element("i", {
        class: kind,
        title: `frame ${frame}: ${text}`,
        style: `left: ${(100 * at) / last}%; background: ${MARKS[kind].color}`,
        onclick: () => this.jump(at),
      });
    });
    return element("div", { class: "marks" }, ...marks);
  }

  legend() {
    const kinds = new Set(this.shot.about.marks.map((mark) => mark.kind));
    const told = Object.entries(MARKS).filter(([kind]) => kinds.has(kind));
    return element("span", { class: "legend" }, ...told.map(([, { color, what }]) => (
      element("span", {}, element("i", { style: `background: ${color}` }), what))));
  }

  bodies() {
    const boxes = this.shot.bodies.map((body) => {
      const onchange = () => {
        this.setShown(body, box.checked);
        all.checked = this.hidden.size === 0;
      };
      const box = element("input", { type: "checkbox", onchange });
      box.checked = !this.hidden.has(body);
      const color = element("i", { style: `background: ${displayed(body.about.color)}` });
      return { body, box, label: element("label", { title: body.about.kind }, box, color, body.name) };
    });
    const all = element("input", {
      type: "checkbox",
      onchange: () => boxes.forEach(({ body, box }) => {
        box.checked = all.checked;
        this.setShown(body, all.checked);
      }),
    });
    all.checked = this.hidden.size === 0;
    const whole = boxes.length > 1 ? [element("label", {}, all, "all")] : [];
    return element("div", { class: "bodies" }, ...whole, ...boxes.map(({ label }) => label));
  }

  listen() {
    const { root, canvas } = this;
    document.addEventListener("keydown", (event) => {
      if (root.contains(document.activeElement) || document.fullscreenElement === root) this.key(event);
    });
    // Rows of tables that tell of a frame.
    const rowOf = (target) => target instanceof Element && target.closest(".frames tr");
    document.addEventListener("click", (event) => {
      const row = rowOf(event.target);
      const number = row ? Number.parseInt(row.cells[0].textContent, 10) : Number.NaN;
      // Whoever marks a row to copy it does not want to go there.
      if (Number.isNaN(number) || !getSelection().isCollapsed) return;
      this.jump(this.shot.nearest(number));
      root.scrollIntoView({ block: "nearest" });
    });
    canvas.addEventListener("wheel", (event) => {
      // Whoever only scrolls by should get by.
      if (document.activeElement !== canvas && !event.ctrlKey) return;
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 16 : 1;
      this.eye().zoom(Math.exp(0.0015 * lines * event.deltaY), this.shot.about.stage.radius);
      this.redraw();
    }, { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      this.renderer = new Renderer(canvas, this.shot);
      this.redraw();
    });
    this.pointers(canvas);
    new ResizeObserver(() => this.redraw()).observe(canvas);
  }

  pointers(canvas) {
    const down = new Map();
    const middle = () => {
      const all = [...down.values()];
      const at = [0, 1].map((axis) => all.reduce((sum, p) => sum + p[axis], 0) / all.length);
      const apart = all.length > 1 ? Math.hypot(all[0][0] - all[1][0], all[0][1] - all[1][1]) : 0;
      return { at, apart };
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      canvas.focus({ preventScroll: true });
      down.set(event.pointerId, [event.clientX, event.clientY]);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!down.has(event.pointerId)) return;
      const before = middle();
      down.set(event.pointerId, [event.clientX, event.clientY]);
      const after = middle();
      const height = canvas.clientHeight || 1;
      const [across, below] = [0, 1].map((axis) => (after.at[axis] - before.at[axis]) / height);
      const eye = this.eye();
      const isShift = down.size > 1 || (event.buttons & 6) !== 0 || event.shiftKey;
      if (isShift) eye.shift(across, below, this.field(eye.lens)[1]);
      else eye.turn(across, below);
      if (before.apart > 0 && after.apart > 0) eye.zoom(before.apart / after.apart, this.shot.about.stage.radius);
      this.redraw();
    });
    for (const end of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(end, (event) => down.delete(event.pointerId));
    }
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target instanceof HTMLSelectElement) return;
    if (event.key === " ") {
      // Buttons and boxes have it for themselves.
      if (event.target instanceof Element && event.target.closest("button, input[type=checkbox]")) return;
      if (event.repeat) return event.preventDefault();
    }
    const by = event.shiftKey ? 10 : 1;
    const actions = {
      " ": () => this.toggle(),
      ArrowLeft: () => this.jump(this.frame - by),
      ArrowRight: () => this.jump(this.frame + by),
      Home: () => this.jump(0),
      End: () => this.jump(this.shot.numbers.length - 1),
      c: () => this.toCamera(this.camera),
      w: () => this.setWires(!this.wires),
    };
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  toggle() {
    this.playing = !this.playing;
    this.playButton.textContent = this.playing ? "▮▮" : "▶";
    cancelAnimationFrame(this.next);
    if (!this.playing) return;
    // From the end it begins anew.
    if (this.frame === this.shot.numbers.length - 1) this.show(0);
    let at = this.shot.numbers[this.frame];
    let before = performance.now();
    const [frames, seconds] = this.shot.about.fps;
    const step = (now) => {
      at += (Math.max(0, now - before) / 1000) * (frames / seconds) * this.speed;
      before = now;
      const { numbers } = this.shot;
      if (at >= numbers[numbers.length - 1] + 1) [at] = numbers;
      let next = this.shot.nearest(Math.floor(at));
      if (numbers[next] > at && next > 0) next -= 1;
      if (next !== this.frame) this.show(next);
      this.next = requestAnimationFrame(step);
    };
    this.next = requestAnimationFrame(step);
  }

  /** Shows a frame that a person chose. */
  jump(frame) {
    if (this.playing) this.toggle();
    this.show(Math.max(0, Math.min(this.shot.numbers.length - 1, frame)));
  }

  show(frame) {
    this.frame = frame;
    const { numbers, times } = this.shot;
    this.slider.value = String(frame);
    this.said.textContent = `frame ${numbers[frame]} of ${numbers[numbers.length - 1]} · ${times[frame].toFixed(3)} s`;
    this.redraw();
  }

  toCamera(index) {
    this.camera = index;
    this.orbit = null;
    this.redraw();
  }

  setWires(on) {
    this.wires = on;
    this.wireBox.checked = on;
    this.redraw();
  }

  setShown(body, on) {
    if (on) this.hidden.delete(body);
    else this.hidden.add(body);
    this.redraw();
  }

  fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.root.requestFullscreen?.();
  }

  /** The eye to turn: from now on the person's own. */
  eye() {
    if (this.orbit === null) {
      const { center, radius } = this.shot.about.stage;
      this.orbit = Orbit.ofSight(this.shot.sight(this.camera, this.frame), center, radius);
    }
    return this.orbit;
  }

  field(lens) {
    const { width, height } = this.canvas;
    return fieldOf(lens, this.shot.about.picture, width / Math.max(1, height));
  }

  redraw() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      this.draw();
    });
  }

  draw() {
    const { canvas, shot } = this;
    const dense = Math.min(2, window.devicePixelRatio || 1);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((size) => Math.max(1, Math.round(size * dense)));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const sight = shot.sight(this.camera, this.frame);
    const axes = this.orbit === null ? axesOf(sight) : this.orbit.axes();
    const tan = this.field(this.orbit === null ? sight.lens : this.orbit.lens);
    const distance = this.orbit === null
      ? Math.hypot(...sub(shot.about.stage.center, sight.position))
      : this.orbit.distance;
    const state = this.orbit !== null ? "false" : "true";
    this.cameraButton.setAttribute("aria-pressed", state);
    this.renderer.draw(this.frame, { axes, tan, distance }, { isHidden: (body) => this.hidden.has(body), wires: this.wires });
  }
}

const root = document.getElementById("playback");
try {
  const about = JSON.parse(document.getElementById("playback-about").textContent);
  const bytes = document.getElementById("playback-bytes");
  const shot = new Shot(about, decodeBase64(bytes.textContent));
  // It is in memory once more otherwise.
  bytes.remove();
  new Player(root, shot);
} catch (problem) {
  root.replaceChildren(element("p", { class: "none" }, `The playback in 3D cannot be shown here: ${problem.message}.`));
}
