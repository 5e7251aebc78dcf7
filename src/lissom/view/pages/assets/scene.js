// The arm in three dimensions: frames along the chain, solids fixed to them, wrenches, trail, ground.
"use strict";

const Lissom = {};

Lissom.bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
Lissom.floats = (text) => new Float32Array(Lissom.bytes(text));
Lissom.packed = ({ data, unit }) => Float32Array.from(new Int16Array(Lissom.bytes(data)), (x) => x * unit);

// Rotations as rows of nine numbers in flat arrays.
Lissom.turn = (out, o, x, y, z) => {
  // exp of a rotation vector
  const s = x * x + y * y + z * z, a = Math.sqrt(s);
  const f = a > 1e-4 ? Math.sin(a) / a : 1 - s / 6;
  const g = a > 1e-4 ? (1 - Math.cos(a)) / s : 0.5 - s / 24;
  out[o] = 1 - g * (y * y + z * z); out[o + 1] = g * x * y - f * z; out[o + 2] = g * x * z + f * y;
  out[o + 3] = g * x * y + f * z; out[o + 4] = 1 - g * (x * x + z * z); out[o + 5] = g * y * z - f * x;
  out[o + 6] = g * x * z - f * y; out[o + 7] = g * y * z + f * x; out[o + 8] = 1 - g * (x * x + y * y);
};
Lissom.fromQuaternion = (out, o, w, x, y, z) => {
  const s = 2 / (w * w + x * x + y * y + z * z);
  out[o] = 1 - s * (y * y + z * z); out[o + 1] = s * (x * y - w * z); out[o + 2] = s * (x * z + w * y);
  out[o + 3] = s * (x * y + w * z); out[o + 4] = 1 - s * (x * x + z * z); out[o + 5] = s * (y * z - w * x);
  out[o + 6] = s * (x * z - w * y); out[o + 7] = s * (y * z + w * x); out[o + 8] = 1 - s * (x * x + y * y);
};
Lissom.product = (out, o, A, a, B, b) => {
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      out[o + 3 * i + j] =
        A[a + 3 * i] * B[b + j] + A[a + 3 * i + 1] * B[b + 3 + j] + A[a + 3 * i + 2] * B[b + 6 + j];
    }
  }
};

// A recorded motion: joint poses and section deflections at times, and the world frames that follow.
Lissom.Motion = class {
  constructor(drawing, record) {
    this.drawing = drawing;
    this.times = Lissom.floats(record.times);
    this.position = Lissom.packed(record.position);
    this.orientation = Lissom.packed(record.orientation);
    this.bend = Lissom.packed(record.bend);
    this.eta = Lissom.packed(record.eta);
    this.modes = record.modes;
    this.wrench = Lissom.packed(record.wrench);
    this.stress = record.stress ? Lissom.packed(record.stress) : null; // of the largest, at every frame
    this.loads = record.loads;
    this.load = record.loads ? Lissom.floats(record.load) : new Float32Array(0);
    this.acting = new Float64Array(9 * this.loads); // place, force, torque of each load
    this.links = drawing.carrier.length;
    this.frames = drawing.owner.length;
    // the world's own frame is the last
    this.R = new Float64Array(9 * (this.frames + 1));
    this.p = new Float64Array(3 * (this.frames + 1));
    for (let i = 0; i < 3; i++) this.R[9 * this.frames + 4 * i] = 1;
    this.amplitudes = new Float64Array(this.modes);
    this.wrenches = new Float64Array(6 * this.links);
    this.scratch = new Float64Array(18);
    this.shares = new Float64Array(this.frames);
  }

  get duration() { return this.times[this.times.length - 1]; }

  at(time) {
    // the sample before `time`, and how far it is to the next
    const t = this.times, last = t.length - 1;
    if (last < 1 || time <= t[0]) return [0, 0];
    if (time >= t[last]) return [last - 1, 1];
    let a = 0, b = last;
    while (b - a > 1) { const m = (a + b) >> 1; if (t[m] <= time) a = m; else b = m; }
    return [a, (time - t[a]) / (t[b] - t[a])];
  }

  update(time, scale) {
    const { owner, rest, carrier } = this.drawing, n = this.links, s = this.frames;
    const [k, f] = this.at(time);
    const mix = (array, width, i) => {
      const a = array[k * width + i];
      return f > 0 ? a + f * (array[(k + 1) * width + i] - a) : a;
    };
    const { R, p, scratch } = this;
    for (let j = 0; j < n; j++) {
      Lissom.fromQuaternion(scratch, 0, ...[0, 1, 2, 3].map((i) => mix(this.orientation, 4 * n, 4 * j + i)));
      const x = mix(this.position, 3 * n, 3 * j), y = mix(this.position, 3 * n, 3 * j + 1), z = mix(this.position, 3 * n, 3 * j + 2);
      this.place(carrier[j], scratch, x, y, z, j);
      for (let i = 0; i < 6; i++) this.wrenches[6 * j + i] = mix(this.wrench, 6 * n, 6 * j + i);
      for (let c = this.drawing.first[j]; c < this.drawing.last[j]; c++) {
        const b = 6 * (c - n), w = 6 * (s - n);
        Lissom.turn(scratch, 0, scale * mix(this.bend, w, b + 3), scale * mix(this.bend, w, b + 4), scale * mix(this.bend, w, b + 5));
        this.place(j, scratch, rest[c][0] + scale * mix(this.bend, w, b), rest[c][1] + scale * mix(this.bend, w, b + 1), rest[c][2] + scale * mix(this.bend, w, b + 2), c);
      }
    }
    for (let i = 0; i < 9 * this.loads; i++) this.acting[i] = mix(this.load, 9 * this.loads, i);
    if (this.stress) for (let i = 0; i < s; i++) this.shares[i] = mix(this.stress, s, i);
    for (let i = 0; i < this.modes; i++) this.amplitudes[i] = scale * mix(this.eta, this.modes, i);
    this.travel();
  }

  travel() {
    // the picture goes along with a link of an arm that goes far
    const { p, acting } = this, { follow } = this.drawing;
    p.fill(0, 3 * this.frames);
    if (follow === null) return;
    const from = p.slice(3 * follow, 3 * follow + 3);
    for (let i = 0; i < p.length; i++) p[i] -= from[i % 3];
    for (let k = 0; k < this.loads; k++) for (let i = 0; i < 3; i++) acting[9 * k + i] -= from[i];
  }

  place(parent, rotation, x, y, z, frame) {
    // frame = parent's frame times (rotation, position)
    const { R, p } = this, o = 9 * frame, q = 3 * frame;
    if (parent < 0) { for (let i = 0; i < 9; i++) R[o + i] = rotation[i]; p[q] = x; p[q + 1] = y; p[q + 2] = z; return; }
    const a = 9 * parent, b = 3 * parent;
    Lissom.product(R, o, R, a, rotation, 0);
    for (let i = 0; i < 3; i++) p[q + i] = p[b + i] + R[a + 3 * i] * x + R[a + 3 * i + 1] * y + R[a + 3 * i + 2] * z;
  }

  tip(out, o) {
    const { frame, offset } = this.drawing.tip, a = 9 * frame, b = 3 * frame, { R, p } = this;
    for (let i = 0; i < 3; i++) {
      out[o + i] = p[b + i] + R[a + 3 * i] * offset[0] + R[a + 3 * i + 1] * offset[1] + R[a + 3 * i + 2] * offset[2];
    }
  }
};

// One solid of the drawing as a three.js mesh whose points follow the frames.
Lissom.Solid = class {
  constructor(piece, colour, opacity) {
    this.points = Lissom.floats(piece.points);
    this.normals = Lissom.floats(piece.normals);
    this.frame = new Uint16Array(Lissom.bytes(piece.frame));
    this.modes = piece.modes ? Lissom.packed(piece.modes) : null;
    this.mode = piece.mode;
    this.role = piece.role;
    this.link = piece.link;
    this.colour = new THREE.Color(colour);
    this.shown = piece.shown;
    this.ends = piece.ends;
    this.part = piece.part ? Lissom.floats(piece.part) : null;
    const geometry = new THREE.BufferGeometry();
    this.place = new THREE.BufferAttribute(new Float32Array(this.points.length), 3).setUsage(THREE.DynamicDrawUsage);
    this.facing = new THREE.BufferAttribute(new Float32Array(this.points.length), 3).setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("position", this.place);
    geometry.setAttribute("normal", this.facing);
    geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(Lissom.bytes(piece.triangles)), 1));
    const material = new THREE.MeshPhongMaterial({
      color: colour, specular: 0x262626, shininess: 30, transparent: opacity < 1, opacity, side: THREE.DoubleSide,
      polygonOffset: opacity < 1, polygonOffsetFactor: 1, polygonOffsetUnits: 1, // what coincides shows the first run
    });
    this.mesh = new THREE.Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    this.shadow = new THREE.Mesh(geometry, Lissom.shadowMaterial);
    this.shadow.frustumCulled = false;
    this.shadow.matrixAutoUpdate = false;
  }

  paintStress(motion, scale) {
    // every point in the colour of its section's stress; without a scale in the colour of the solid
    const material = this.mesh.material, coloured = scale !== null;
    if (coloured !== material.vertexColors) {
      material.vertexColors = coloured;
      material.color.copy(coloured ? new THREE.Color(0xffffff) : this.colour);
      material.needsUpdate = true;
    }
    if (!coloured) return;
    if (!this.tint) {
      this.tint = new THREE.BufferAttribute(new Float32Array(this.points.length), 3).setUsage(THREE.DynamicDrawUsage);
      this.mesh.geometry.setAttribute("color", this.tint);
    }
    const out = this.tint.array, last = scale.length - 1;
    for (let k = 0; k < this.frame.length; k++) {
      const at = Math.max(0, Math.min(1, motion.shares[this.frame[k]])) * last, low = Math.min(Math.floor(at), last - 1), part = at - low;
      out[3 * k] = scale[low].r + part * (scale[low + 1].r - scale[low].r);
      out[3 * k + 1] = scale[low].g + part * (scale[low + 1].g - scale[low].g);
      out[3 * k + 2] = scale[low].b + part * (scale[low + 1].b - scale[low].b);
    }
    this.tint.needsUpdate = true;
  }

  between({ R, p }) {
    // along the line from one end to the other: start, axes (x along the line), length
    const [a, b] = this.ends.map(({ frame, offset }) => new THREE.Vector3(...[0, 1, 2].map((i) => {
      const r = 9 * frame + 3 * i;
      return p[3 * frame + i] + R[r] * offset[0] + R[r + 1] * offset[1] + R[r + 2] * offset[2];
    })));
    const x = b.clone().sub(a), length = x.length();
    x.divideScalar(Math.max(length, 1e-12));
    const size = [Math.abs(x.x), Math.abs(x.y), Math.abs(x.z)], least = size.indexOf(Math.min(...size));
    const y = new THREE.Vector3().setComponent(least, 1).cross(x).normalize();
    return [a, x, y, x.clone().cross(y), length];
  }

  updateBetween(motion) {
    const [start, x, y, z, length] = this.between(motion), { points, normals, part } = this;
    const place = this.place.array, facing = this.facing.array, at = new THREE.Vector3();
    for (let k = 0; k < part.length; k++) {
      const o = 3 * k;
      at.copy(start).addScaledVector(x, part[k] * length + points[o]).addScaledVector(y, points[o + 1]).addScaledVector(z, points[o + 2]);
      at.toArray(place, o);
      at.set(0, 0, 0).addScaledVector(x, normals[o]).addScaledVector(y, normals[o + 1]).addScaledVector(z, normals[o + 2]);
      at.toArray(facing, o);
    }
    this.place.needsUpdate = true;
    this.facing.needsUpdate = true;
  }

  update(motion) {
    if (this.ends) { this.updateBetween(motion); return; }
    const { R, p, amplitudes } = motion;
    const { points, normals, frame, modes } = this, place = this.place.array, facing = this.facing.array;
    const count = modes ? modes.length / points.length : 0;
    for (let k = 0; k < frame.length; k++) {
      const a = 9 * frame[k], b = 3 * frame[k], o = 3 * k;
      let x = points[o], y = points[o + 1], z = points[o + 2];
      for (let m = 0; m < count; m++) {
        const eta = amplitudes[this.mode + m], j = m * points.length + o;
        x += eta * modes[j]; y += eta * modes[j + 1]; z += eta * modes[j + 2];
      }
      const u = normals[o], v = normals[o + 1], w = normals[o + 2];
      for (let i = 0; i < 3; i++) {
        const r = a + 3 * i;
        place[o + i] = p[b + i] + R[r] * x + R[r + 1] * y + R[r + 2] * z;
        facing[o + i] = R[r] * u + R[r + 1] * v + R[r + 2] * w;
      }
    }
    this.place.needsUpdate = true;
    this.facing.needsUpdate = true;
  }
};

// The view: arms of one or several runs, ground, frames, wrenches, trail; drag turns, wheel nears, right drag shifts.
Lissom.Scene = class {
  constructor(host, data) {
    this.host = host;
    this.drawing = data.drawing;
    this.scale = 1;
    this.time = 0;
    this.stress = data.stress ? { links: new Set(data.stress.links), scale: data.stress.scale.map((colour) => new THREE.Color(colour)) } : null;
    this.shown = { stress: false, frames: false, force: false, torque: false, trail: true, names: false };
    Lissom.shadowMaterial = new THREE.MeshBasicMaterial({
      color: 0x39424e, transparent: true, opacity: 0.16, depthWrite: false,
      stencilWrite: true, stencilFunc: THREE.NotEqualStencilFunc, stencilRef: 1, stencilZPass: THREE.ReplaceStencilOp,
    });
    this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: false, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    host.appendChild(this.renderer.domElement);
    this.three = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(30, 1, 0.01 * this.drawing.reach, 60 * this.drawing.reach);
    this.up = new THREE.Vector3(...this.drawing.up);
    this.camera.up.copy(this.up);
    this.sun = new THREE.DirectionalLight(0xffffff, 0.72);
    this.three.add(new THREE.HemisphereLight(0xffffff, 0xaab4c0, 0.62), this.sun, this.sun.target);
    this.runs = data.runs.map((record, k) => this.addRun(record, k));
    this.motion = this.runs[0].motion;
    this.start = data.runs[0].home; // rad: where the viewer stands at first, about the vertical and above the ground
    this.limits();
    this.addGround();
    this.addSigns();
    this.addNames();
    this.home();
    this.paint();
    this.steer();
    this.setTrail();
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
  }

  addRun(record, k) {
    const motion = new Lissom.Motion(this.drawing, record);
    const group = new THREE.Group();
    const solids = this.drawing.pieces.map((piece) =>
      new Lissom.Solid(piece, k > 0 ? record.colour : piece.colour, k > 0 ? 0.4 : 1));
    for (const solid of solids) group.add(solid.mesh, solid.shadow);
    for (const solid of solids) solid.shadow.visible = this.drawing.grounded;
    const line = new THREE.Line(
      new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: record.colour || "#0072B2", transparent: true, opacity: 0.75 }));
    line.frustumCulled = false;
    this.three.add(group, line);
    return { motion, solids, line, group, label: record.label, colour: record.colour || "#0072B2" };
  }

  limits() {
    // what the solids reach in the course of the motion
    this.box = new THREE.Box3();
    this.cloud = [];
    const x = Math.abs(this.up.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 0, 1);
    this.ahead = x.addScaledVector(this.up, -x.dot(this.up)).normalize();
    this.side = new THREE.Vector3().crossVectors(this.up, this.ahead);
    for (const { motion, solids } of this.runs) {
      const step = Math.max(1, Math.floor(motion.times.length / 24));
      for (let k = 0; k < motion.times.length; k += step) {
        motion.update(motion.times[k], 1);
        for (const solid of solids) {
          solid.update(motion);
          const count = solid.frame.length, every = Math.max(1, Math.floor(count / 40));
          for (let v = 0; v < count; v += every) this.cloud.push(new THREE.Vector3().fromArray(solid.place.array, 3 * v));
        }
      }
    }
    for (const point of this.cloud) this.box.expandByPoint(point);
    this.box.expandByScalar(0.03 * this.drawing.reach);
  }

  addGround() {
    const corners = [this.box.min, this.box.max], { reach } = this.drawing;
    let low = Infinity;
    for (let i = 0; i < 8; i++) {
      const v = new THREE.Vector3(corners[i & 1].x, corners[(i >> 1) & 1].y, corners[i >> 2].z);
      low = Math.min(low, v.dot(this.up));
    }
    this.ground = low - 0.02 * reach;
    const middle = this.box.getCenter(new THREE.Vector3());
    middle.addScaledVector(this.up, this.ground - middle.dot(this.up));
    const rough = reach / 5, power = Math.pow(10, Math.floor(Math.log10(rough)));
    this.cell = power * [1, 2, 5, 10].find((m) => m * power >= rough);
    this.middle = middle;
  }

  paint() {
    // paper, lines and shadow in the colours of the page
    const theme = Lissom.theme(), dark = Lissom.light(theme.paper) < 0.5;
    this.renderer.setClearColor(theme.paper);
    Lissom.shadowMaterial.color.set(theme.shade);
    Lissom.shadowMaterial.opacity = dark ? 0.42 : 0.16;
    if (this.floor) { this.three.remove(this.floor); this.floor.geometry.dispose(); }
    const colours = [theme.lines, theme.paper].map((colour) => new THREE.Color(colour));
    this.floor = Lissom.grid(this.middle, this.ahead, this.side, this.cell, 1.5 * this.drawing.reach, colours);
    this.floor.visible = this.drawing.grounded;
    this.three.add(this.floor);
    for (const { line, colour } of this.runs) line.material.color.set(Lissom.visible(colour, theme));
    this.dirty = true;
  }

  addSigns() {
    // axes of the joints, and arrows of what they transmit
    const { reach } = this.drawing;
    this.axes = this.drawing.carrier.map(() => new THREE.AxesHelper(0.1 * reach));
    this.arrows = { force: [], torque: [] };
    for (const [kind, colour] of [["force", 0xd55e00], ["torque", 0x7a4fb5]]) {
      this.arrows[kind] = this.drawing.carrier.map(() => Lissom.arrow(colour, kind === "torque", reach));
      for (const arrow of this.arrows[kind]) this.three.add(arrow);
    }
    const loads = Array.from({ length: this.motion.loads });
    this.pushes = [["force", 0x009e73], ["torque", 0x56b4e9]].map(([kind, colour]) => loads.map(() => Lissom.arrow(colour, kind === "torque", reach)));
    for (const arrow of this.pushes.flat()) this.three.add(arrow);
    for (const one of this.axes) {
      one.matrixAutoUpdate = false;
      one.material.depthTest = false;
      one.renderOrder = 3;
      this.three.add(one);
    }
    this.strongest = { force: 0, torque: 0 };
    const w = this.motion.wrench;
    for (let k = 0; k < w.length; k += 6) {
      this.strongest.torque = Math.max(this.strongest.torque, Math.hypot(w[k], w[k + 1], w[k + 2]));
      this.strongest.force = Math.max(this.strongest.force, Math.hypot(w[k + 3], w[k + 4], w[k + 5]));
    }
  }

  addNames() {
    this.names = this.drawing.joints.map((name) => {
      const label = document.createElement("div");
      label.className = "joint-name";
      label.textContent = name;
      this.host.appendChild(label);
      return label;
    });
  }

  look(view) {
    // from the front, the side or above, or as at the beginning
    this.view = view;
    this.home(...{ home: this.start, front: [-Math.PI / 2, 0], side: [0, 0], top: [-Math.PI / 2, Math.PI / 2 - 1e-4] }[view]);
    this.aim();
  }

  home(angle = this.start[0], lift = this.start[1]) {
    // all corners of the box in view, as near as they let
    const aspect = this.host.clientWidth / Math.max(1, this.host.clientHeight), tall = 0.84 * Math.tan((Math.PI / 180) * 15);
    this.angle = angle;
    this.lift = lift;
    this.target = this.box.getCenter(new THREE.Vector3());
    const back = this.direction(), right = new THREE.Vector3().crossVectors(this.up, back).normalize();
    const above = new THREE.Vector3().crossVectors(back, right);
    for (let again = 0; again < 4; again++) {
      const seen = this.cloud.map((v) => {
        const d = v.clone().sub(this.target);
        return [d.dot(right), d.dot(above), d.dot(back)];
      });
      const ends = (values) => values.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
      this.distance = ends(seen.map(([x, y, z]) => z + Math.max(Math.abs(y) / tall, Math.abs(x) / (tall * aspect))))[1];
      const flat = [0, 1].map((i) => ends(seen.map((v) => v[i] / (this.distance - v[2]))));
      const off = flat.map(([a, b]) => ((a + b) / 2) * this.distance);
      this.target.addScaledVector(right, off[0]).addScaledVector(above, off[1]);
    }
    this.dirty = true;
  }

  direction() {
    const c = Math.cos(this.lift);
    return new THREE.Vector3()
      .addScaledVector(this.ahead, c * Math.cos(this.angle))
      .addScaledVector(this.side, c * Math.sin(this.angle))
      .addScaledVector(this.up, Math.sin(this.lift));
  }

  aim() {
    const direction = this.direction();
    this.camera.far = this.distance + 60 * this.drawing.reach;
    this.camera.updateProjectionMatrix();
    this.camera.position.copy(this.target).addScaledVector(direction, this.distance);
    this.camera.lookAt(this.target);
    this.camera.updateMatrixWorld();
    // The lamp stands behind the viewer's left shoulder.
    const right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    this.lamp = new THREE.Vector3().addScaledVector(direction, 0.35).addScaledVector(right, -0.45);
    this.lamp.addScaledVector(this.up, 0.9 - this.lamp.dot(this.up)).normalize();
    this.sun.position.copy(this.target).addScaledVector(this.lamp, this.distance);
    this.sun.target.position.copy(this.target);
    this.sun.target.updateMatrixWorld();
    const n = this.up, l = this.lamp, d = n.dot(l), h = this.ground;
    const e = (i, j) => (i === j ? 1 : 0) - (l.getComponent(i) * n.getComponent(j)) / d;
    const flat = new THREE.Matrix4().set(
      e(0, 0), e(0, 1), e(0, 2), (h * l.x) / d, e(1, 0), e(1, 1), e(1, 2), (h * l.y) / d,
      e(2, 0), e(2, 1), e(2, 2), (h * l.z) / d, 0, 0, 0, 1);
    for (const run of this.runs) for (const solid of run.solids) solid.shadow.matrix.copy(flat);
    this.dirty = true;
  }

  steer() {
    const canvas = this.renderer.domElement;
    let last = null;
    canvas.addEventListener("pointerdown", (event) => {
      last = event;
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!last) return;
      const dx = event.clientX - last.clientX, dy = event.clientY - last.clientY;
      if (last.button === 2 || event.shiftKey) {
        const right = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
        const above = new THREE.Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
        const step = (0.55 * this.distance) / this.host.clientHeight;
        this.target.addScaledVector(right, -dx * step).addScaledVector(above, dy * step);
      } else {
        this.angle -= 0.008 * dx;
        this.lift = Math.max(-1.57, Math.min(1.57, this.lift + 0.008 * dy));
      }
      last = { clientX: event.clientX, clientY: event.clientY, button: last.button };
      this.aim();
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { last = null; });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.distance *= Math.exp(0.0012 * event.deltaY);
      this.aim();
    }, { passive: false });
    canvas.addEventListener("dblclick", () => this.look("home"));
  }

  setScale(scale) { this.scale = scale; this.setTrail(); this.dirty = true; }
  setTime(time) { this.time = time; this.dirty = true; }
  show(what, visible) { this.shown[what] = visible; this.dirty = true; }

  setTrail() {
    for (const { motion, line } of this.runs) {
      const path = new Float32Array(3 * motion.times.length);
      for (let k = 0; k < motion.times.length; k++) { motion.update(motion.times[k], this.scale); motion.tip(path, 3 * k); }
      line.geometry.setAttribute("position", new THREE.BufferAttribute(path, 3));
    }
  }

  resize() {
    const width = this.host.clientWidth, height = this.host.clientHeight;
    if (!width || !height) return;
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.look(this.view || "home");
    this.draw();
  }

  draw() {
    if (!this.dirty) return false;
    this.dirty = false;
    for (const run of this.runs) {
      run.motion.update(this.time, this.scale);
      for (const solid of run.solids) {
        solid.update(run.motion);
        if (solid.shown) {
          solid.mesh.visible = solid.shown[0] <= this.time && this.time <= (solid.shown[1] ?? Infinity);
          solid.shadow.visible = solid.mesh.visible && this.drawing.grounded;
        }
        if (this.stress && solid.role === "link" && this.stress.links.has(solid.link)) solid.paintStress(run.motion, this.shown.stress ? this.stress.scale : null);
      }
      const [k, f] = run.motion.at(this.time);
      run.line.geometry.setDrawRange(0, Math.max(2, k + 1 + (f >= 1 ? 1 : 0)));
      run.line.visible = this.shown.trail;
    }
    this.drawSigns();
    this.drawLoads();
    this.renderer.render(this.three, this.camera);
    return true;
  }

  drawLoads() {
    // what acts from outside, longer where it is stronger
    const { loads, load, acting } = this.motion, longest = 0.25 * this.drawing.reach;
    this.hardest ??= [3, 6].map((first) => {
      let most = 0;
      for (let k = first; k < load.length; k += 9) most = Math.max(most, Math.hypot(load[k], load[k + 1], load[k + 2]));
      return most;
    });
    const from = new THREE.Vector3(), push = new THREE.Vector3();
    [3, 6].forEach((first, kind) => {
      for (let j = 0; j < loads; j++) {
        const arrow = this.pushes[kind][j], size = push.fromArray(acting, 9 * j + first).length();
        const length = this.hardest[kind] > 0 ? (longest * size) / this.hardest[kind] : 0;
        arrow.visible = length > 0.01 * longest;
        if (!arrow.visible) continue;
        push.divideScalar(size);
        from.fromArray(acting, 9 * j).addScaledVector(push, -length); // the head where it acts
        Lissom.setArrow(arrow, from, push, length);
      }
    });
  }

  drawSigns() {
    const { R, p, wrenches } = this.motion, longest = 0.3 * this.drawing.reach;
    const point = new THREE.Vector3(), width = this.host.clientWidth, height = this.host.clientHeight;
    for (let j = 0; j < this.motion.links; j++) {
      const r = R.subarray(9 * j, 9 * j + 9), o = 3 * j;
      this.axes[j].visible = this.shown.frames;
      this.axes[j].matrix.set(r[0], r[1], r[2], p[o], r[3], r[4], r[5], p[o + 1], r[6], r[7], r[8], p[o + 2], 0, 0, 0, 1);
      ["torque", "force"].forEach((kind, i) => {
        const arrow = this.arrows[kind][j], w = wrenches.subarray(6 * j + 3 * i, 6 * j + 3 * i + 3);
        const world = new THREE.Vector3(
          r[0] * w[0] + r[1] * w[1] + r[2] * w[2], r[3] * w[0] + r[4] * w[1] + r[5] * w[2], r[6] * w[0] + r[7] * w[1] + r[8] * w[2]);
        const size = world.length(), length = this.strongest[kind] > 0 ? (longest * size) / this.strongest[kind] : 0;
        arrow.visible = this.shown[kind] && length > 0.01 * longest;
        if (arrow.visible) Lissom.setArrow(arrow, point.set(p[o], p[o + 1], p[o + 2]), world.divideScalar(size), length);
      });
      const label = this.names[j];
      label.hidden = !this.shown.names;
      if (this.shown.names) {
        point.set(p[o], p[o + 1], p[o + 2]).project(this.camera);
        label.style.transform = `translate(${((point.x + 1) / 2) * width + 8}px, ${((1 - point.y) / 2) * height - 22}px)`;
      }
    }
  }
};

// An arrow; a torque has two heads.
Lissom.arrow = (colour, two, reach) => {
  const material = new THREE.MeshPhongMaterial({ color: colour, shininess: 20, specular: 0x222222 });
  const group = new THREE.Group(), thick = 0.0045 * reach, head = 0.035 * reach;
  const shaft = new THREE.Mesh(new THREE.CylinderGeometry(thick, thick, 1, 12), material);
  const heads = (two ? [0, 1] : [0]).map(() => new THREE.Mesh(new THREE.ConeGeometry(2.6 * thick, head, 16), material));
  group.add(shaft, ...heads);
  group.userData = { shaft, heads, head };
  group.visible = false;
  return group;
};
Lissom.setArrow = (group, from, direction, length) => {
  const { shaft, heads, head } = group.userData;
  group.position.copy(from);
  group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), direction);
  shaft.scale.y = Math.max(length - 0.5 * head, 1e-6);
  shaft.position.y = shaft.scale.y / 2;
  heads.forEach((cone, k) => { cone.position.y = length - 0.5 * head - 0.8 * k * head; });
};

// Lines on the ground that fade away from the middle.
Lissom.grid = (middle, ahead, side, cell, radius, [near, far]) => {
  const points = [], colours = [], count = Math.ceil(radius / cell), pieces = 2 * count;
  const add = (u, v) => {
    const place = middle.clone().addScaledVector(ahead, u).addScaledVector(side, v);
    const part = Math.min(1, Math.hypot(u, v) / radius), pale = part * part * (3 - 2 * part), c = near.clone().lerp(far, pale);
    points.push(place.x, place.y, place.z);
    colours.push(c.r, c.g, c.b);
  };
  for (let k = -count; k <= count; k++) {
    for (let j = -pieces; j < pieces; j++) {
      const a = (j * cell) / 2, b = ((j + 1) * cell) / 2;
      if (Math.hypot(k * cell, a) > radius) continue;
      add(k * cell, a); add(k * cell, b);
      add(a, k * cell); add(b, k * cell);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  geometry.setAttribute("color", new THREE.Float32BufferAttribute(colours, 3));
  const lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ vertexColors: true, depthWrite: false }));
  lines.renderOrder = -2;
  return lines;
};
