// Reads report.html of run folders as a browser would, without drawing: its script must be one that runs, and
// what it decodes, corner by corner of every triangle, must be what the OBJ files of the run have. See README.md.
const fs = require("fs");
const path = require("path");
const vm = require("vm");

/** What stands in the script element whose attributes fit. */
function script(page, attributes) {
  const begins = page.search(attributes);
  if (begins < 0) throw new Error(`no script ${attributes}`);
  const from = page.indexOf(">", begins) + 1;
  return page.slice(from, page.indexOf("</script>", from));
}

/** Corners of the triangles of an OBJ file, nine numbers a triangle. */
function cornersOfObj(file) {
  const places = [];
  const corners = [];
  for (const line of fs.readFileSync(file, "utf8").split("\n")) {
    const [word, ...rest] = line.split(" ");
    if (word === "v") places.push(rest.map(Number));
    if (word === "f") for (const corner of rest) corners.push(...places[Number.parseInt(corner, 10) - 1]);
  }
  return corners;
}

/** Corners of a body's triangles in the world as the page has them. */
function cornersOfPage(body, frame) {
  const { surface } = body;
  const points = body.deforms ? body.places(frame) : surface.points;
  const pose = body.deforms ? null : body.pose(frame);
  const shaded = surface.shaded(points);
  const corners = [];
  for (const corner of surface.triangles) {
    const [x, y, z, ...normal] = shaded.subarray(6 * corner, 6 * corner + 6);
    if (!(Math.abs(Math.hypot(...normal) - 1) < 1e-5)) throw new Error(`${body.name}: a normal is not of length 1`);
    for (let r = 0; r < 3; r += 1) {
      corners.push(pose ? pose[r] * x + pose[4 + r] * y + pose[8 + r] * z + pose[12 + r] : [x, y, z][r]);
    }
  }
  return corners;
}

function check(folder) {
  const page = fs.readFileSync(path.join(folder, "report.html"), "utf8");
  const about = JSON.parse(script(page, /<script type="application\/json"/));
  const bytes = script(page, /<script type="text\/plain"/);
  const text = script(page, /<script>/);
  new vm.Script(text);
  // Without a browser the player says that it cannot be shown; what comes before it is of no browser.
  const pure = text.slice(0, text.indexOf("// What runs on the graphics processor."));
  const ends = "globalThis.parts = { Shot, decodeBase64, Orbit, axesOf, fieldOf, viewMatrix, perspective, multiplied };\n}";
  const context = vm.createContext({ atob, Math, Float32Array });
  new vm.Script(pure + ends).runInContext(context);
  const { Shot, decodeBase64 } = context.parts;
  const shot = new Shot(about, decodeBase64(bytes));
  let [worst, compared] = [0, 0];
  shot.numbers.forEach((number, frame) => {
    for (const body of shot.bodies) {
      const sign = number < 0 ? "-" : "";
      const numbered = `${body.name}.${sign}${String(Math.abs(number)).padStart(4, "0")}.obj`;
      const names = [numbered, `${body.name}.obj`].map((name) => path.join(folder, "obj", name));
      const file = names.find((name) => fs.existsSync(name));
      if ((file !== undefined) !== body.isThere(frame)) throw new Error(`${body.name} is there in frame ${number}, or not`);
      if (file === undefined) continue;
      const [ours, theirs] = [cornersOfPage(body, frame), cornersOfObj(file)];
      if (ours.length !== theirs.length) throw new Error(`${body.name} has other triangles`);
      // Half a step of 16 bits, and what f32 leaves at a few metres.
      const near = body.deforms ? 0.5 * Math.max(...body.about.places.step) : 0;
      ours.forEach((value, i) => {
        const off = Math.abs(value - theirs[i]);
        worst = Math.max(worst, off);
        if (!(off <= near + 2e-6)) throw new Error(`${body.name} in frame ${number} is off by ${off} m`);
      });
      compared += ours.length / 9;
    }
  });
  if (compared === 0) throw new Error("nothing was compared");
  eyes(context.parts, shot);
  console.log(`${folder}: ${compared} triangles, off by at most ${worst.toExponential(1)} m`);
}

/** Turned by a person or not, an eye that has not moved sees what the camera sees. */
function eyes({ Orbit, axesOf, fieldOf, viewMatrix, perspective, multiplied }, shot) {
  const { center, radius } = shot.about.stage;
  const last = shot.numbers.length - 1;
  for (const frame of [0, last]) {
    const sight = shot.sight(0, frame);
    const orbit = Orbit.ofSight(sight, center, radius);
    const seen = [axesOf(sight), orbit.axes()].map((axes) => {
      const tan = fieldOf(sight.lens, shot.about.picture, 2);
      return multiplied(perspective(tan, 0.1, 100), viewMatrix(axes));
    });
    seen[0].forEach((value, i) => {
      if (!(Math.abs(value - seen[1][i]) < 1e-4)) throw new Error("a turned eye begins elsewhere than the camera");
    });
  }
}

process.argv.slice(2).forEach(check);
