// Charts over time on a canvas: curves that lie on each other are striped, hover reads values, a drag zooms, a double click shows all, a legend entry hides its curve.
"use strict";

const DASHES = [[5, 4], [2, 3], [9, 3], [8, 3, 2, 3]]; // of what is drawn beside: references and the first other, the second, ...
const STRIPE = 12; // px of each curve in turn where several lie on each other

// Colours of the page in the scheme that the reader's browser asks for.
Lissom.theme = () => {
  const style = getComputedStyle(document.documentElement), names = ["ink", "soft", "rule", "paper", "lines", "shade"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
};
Lissom.channels = (colour) => [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16));
Lissom.light = (colour) => { const [r, g, b] = Lissom.channels(colour); return (0.299 * r + 0.587 * g + 0.114 * b) / 255; };
Lissom.visible = (colour, theme) => {
  // a dark colour lightened on dark paper, up to where it can be read
  const short = 0.5 - Lissom.light(colour);
  if (Lissom.light(theme.paper) > 0.5 || short <= 0) return colour;
  return `#${Lissom.channels(colour).map((c) => Math.round(c + (255 - c) * short).toString(16).padStart(2, "0")).join("")}`;
};

Lissom.ticks = (low, high, count) => {
  // round values about `count` to the range, and three at least
  for (let wanted = Math.max(1, count); ; wanted += 1) {
    const rough = (high - low) / wanted, power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough * 0.999) || 10), made = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) made.push(k * step);
    if (made.length >= 3 || wanted > 12) return { made, step };
  }
};
// On a logarithmic axis: whole powers of ten, or 1, 2, 5 between them where they are few.
Lissom.decades = (low, high, count) => {
  const step = Math.max(1, Math.round((high - low) / count)), made = [];
  for (let k = Math.ceil(low); k <= high; k++) if (k % step === 0) made.push(k);
  if (made.length >= 2) return { made, step };
  const fine = [];
  for (let k = Math.floor(low); k <= high; k++) {
    for (const m of [1, 2, 5]) { const at = k + Math.log10(m); if (at >= low && at <= high) fine.push(at); }
  }
  return { made: fine, step };
};
Lissom.power = (exponent) => {
  const mantissa = Math.round(Math.pow(10, exponent - Math.floor(exponent + 1e-9)));
  return `${mantissa}e${Math.floor(exponent + 1e-9)}`;
};
Lissom.number = (value, step) => {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (step === undefined) {
    if (!isFinite(value)) return "–";
    return size >= 1e5 || size < 1e-3 ? value.toExponential(3) : String(Number(value.toPrecision(5)));
  }
  // as many digits as tell neighbours apart
  if (size >= 1e5 || step < 1e-4) {
    const digits = Math.floor(Math.log10(size) + 1e-9) - Math.floor(Math.log10(step) + 1e-9);
    return value.toExponential(Math.min(Math.max(digits, 0), 12));
  }
  return value.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
};

// What the charts of a page share: the span shown, and where the pointer is.
Lissom.Span = class {
  constructor(first, last) {
    this.whole = [first, last];
    this.shown = [first, last];
    this.hover = null;
    this.charts = [];
    this.seek = null;
  }
  zoom(a, b) { this.shown = a === undefined ? [...this.whole] : [a, b]; for (const c of this.charts) { c.draw(); c.moveCursor(); } }
  point(time) { this.hover = time; for (const c of this.charts) c.read(); }
  setTime(time) { this.time = time; for (const c of this.charts) c.moveCursor(); }
};

Lissom.Chart = class {
  constructor(host, data, span) {
    this.data = data;
    this.span = span;
    this.time = Lissom.floats(data.time);
    // On a logarithmic axis the curves are drawn as powers of ten; what is zero is not drawn.
    const drawn = (values) => (data.log ? values.map((v) => (v > 1e-30 ? Math.log10(v) : NaN)) : values);
    this.curves = data.series.map((s) => {
      const values = Lissom.floats(s.values);
      return { ...s, read: values, values: drawn(values), error: s.error && Lissom.floats(s.error), hidden: false };
    });
    this.build(host);
    span.charts.push(this);
    new ResizeObserver(() => this.resize()).observe(this.box);
    this.resize();
  }

  build(host) {
    const make = (kind, parent, text) => {
      const element = document.createElement(kind === "canvas" ? "canvas" : "div");
      element.className = kind;
      if (text !== undefined) element.textContent = text;
      parent.appendChild(element);
      return element;
    };
    const card = make("chart", host);
    make("chart-title", card, this.data.title);
    this.box = make("plot", card);
    this.canvas = make("canvas", this.box);
    this.cursor = make("cursor", this.box);
    this.cross = make("cross", this.box);
    this.band = make("band", this.box);
    this.legend = make("legend", card);
    const groups = [...new Set(this.curves.map((curve) => curve.group).filter(Boolean))];
    const entries = this.curves.filter((curve) => !curve.group).map((curve) => [curve.name, curve.colour, [curve]]);
    for (const name of groups) entries.push([name, "#8c95a0", this.curves.filter((curve) => curve.group === name)]);
    for (const [name, colour, curves] of entries) {
      const entry = make("entry", this.legend);
      const swatch = make("swatch", entry);
      swatch.style.borderTop = `2px ${curves[0].dashed ? (curves[0].turn % 2 ? "dotted" : "dashed") : "solid"} ${colour}`;
      if (!curves[0].group) curves[0].swatch = swatch;
      make("entry-name", entry, name);
      if (!curves[0].group) curves[0].reading = make("reading", entry, "");
      entry.addEventListener("click", () => {
        for (const curve of curves) curve.hidden = !curve.hidden;
        entry.classList.toggle("off", curves[0].hidden);
        this.draw();
      });
    }
    this.listen();
  }

  listen() {
    let from = null;
    const at = (event) => event.clientX - this.box.getBoundingClientRect().left;
    this.box.addEventListener("pointermove", (event) => {
      const x = at(event);
      if (from !== null) {
        const a = Math.max(Math.min(from, x), this.left), b = Math.min(Math.max(from, x), this.right);
        Object.assign(this.band.style, { display: "block", left: `${a}px`, width: `${Math.max(0, b - a)}px` });
      }
      this.span.point(x >= this.left && x <= this.right ? this.timeAt(x) : null);
    });
    this.box.addEventListener("pointerdown", (event) => { from = at(event); this.box.setPointerCapture(event.pointerId); });
    this.box.addEventListener("pointerup", (event) => {
      const x = at(event);
      this.band.style.display = "none";
      if (from !== null && Math.abs(x - from) > 6) {
        const [a, b] = [from, x].sort((u, v) => u - v).map((u) => this.timeAt(Math.min(Math.max(u, this.left), this.right)));
        if (b > a) this.span.zoom(a, b);
      } else if (this.span.seek) this.span.seek(this.timeAt(Math.min(Math.max(x, this.left), this.right)));
      from = null;
    });
    this.box.addEventListener("pointerleave", () => this.span.point(null));
    this.box.addEventListener("dblclick", () => this.span.zoom());
  }

  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.width = this.box.clientWidth;
    this.height = this.box.clientHeight;
    if (!this.width) return;
    this.canvas.width = ratio * this.width;
    this.canvas.height = ratio * this.height;
    this.pen = this.canvas.getContext("2d");
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.draw();
    this.moveCursor();
  }

  timeAt(x) {
    const [a, b] = this.span.shown;
    return a + ((x - this.left) / (this.right - this.left)) * (b - a);
  }
  xAt(time) {
    const [a, b] = this.span.shown;
    return this.left + ((time - a) / (b - a || 1)) * (this.right - this.left);
  }
  index(time) {
    let a = 0, b = this.time.length;
    while (b - a > 1) { const m = (a + b) >> 1; if (this.time[m] <= time) a = m; else b = m; }
    return a + 1 < this.time.length && this.time[a + 1] - time < time - this.time[a] ? a + 1 : a;
  }

  range() {
    // least and greatest value of what is shown, with some air
    let low = Infinity, high = -Infinity;
    const first = Math.max(0, this.index(this.span.shown[0]) - 1), last = Math.min(this.time.length - 1, this.index(this.span.shown[1]) + 1);
    for (const curve of this.curves) {
      if (curve.hidden) continue;
      for (let k = first; k <= last; k++) {
        const v = curve.values[k];
        if (v < low) low = v;
        if (v > high) high = v;
      }
    }
    if (!isFinite(low)) [low, high] = [0, 1];
    // Data are single precision: a range as fine as their last digits is that of a constant.
    const fine = 1e-5 * Math.max(Math.abs(low), Math.abs(high)), air = high - low > fine ? 0.06 * (high - low) : 1e3 * fine || 1;
    if (this.data.log) return [first, last, Math.max(low, high - 12) - 0.2, high + 0.2]; // twelve decades at most
    return [first, last, low >= 0 && low < 0.25 * high ? 0 : low - air, high + air];
  }

  draw() {
    const { pen } = this;
    if (!pen) return;
    const [first, last, low, high] = this.range();
    this.top = 8;
    this.bottom = this.height - 34;
    const wanted = Math.max(2, Math.floor((this.bottom - this.top) / 42));
    const rows = this.data.log ? Lissom.decades(low, high, wanted) : Lissom.ticks(low, high, wanted);
    pen.font = "11px system-ui, sans-serif";
    const texts = rows.made.map((v) => (this.data.log ? Lissom.power(v) : Lissom.number(v, rows.step)));
    this.left = 30 + Math.max(...texts.map((text) => pen.measureText(text).width));
    this.right = this.width - 12;
    const y = (v) => this.bottom - ((v - low) / (high - low)) * (this.bottom - this.top);
    pen.clearRect(0, 0, this.width, this.height);
    pen.lineWidth = 1;
    const theme = Lissom.theme();
    pen.strokeStyle = theme.rule;
    pen.fillStyle = theme.soft;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    rows.made.forEach((v, k) => { this.stroke([[this.left, y(v)], [this.right, y(v)]]); pen.fillText(texts[k], this.left - 6, y(v)); });
    const columns = Lissom.ticks(...this.span.shown, Math.max(2, Math.floor((this.right - this.left) / 80)));
    pen.textAlign = "center";
    for (const t of columns.made) {
      this.stroke([[this.xAt(t), this.top], [this.xAt(t), this.bottom]]);
      pen.fillText(Lissom.number(t, columns.step), this.xAt(t), this.bottom + 11);
    }
    pen.fillText("time [s]", (this.left + this.right) / 2, this.bottom + 26);
    pen.save();
    pen.translate(9, (this.top + this.bottom) / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText(this.data.label, 0, 0);
    pen.restore();
    pen.save();
    pen.beginPath();
    pen.rect(this.left, this.top - 2, this.right - this.left, this.bottom - this.top + 4);
    pen.clip();
    const shown = this.curves.filter((curve) => !curve.hidden);
    if (this.data.log && shown.length && !shown.some((curve) => curve.values.some(isFinite))) {
      pen.fillText("no difference", (this.left + this.right) / 2, (this.top + this.bottom) / 2);
    }
    for (const curve of shown) if (curve.error) this.fillBand(curve, first, last, y, Lissom.visible(curve.colour, theme));
    for (const [curve, { among, place, twin }] of this.stacked(first, last, (high - low) / (this.bottom - this.top))) {
      // Curves that lie on each other take turns along the line; a dashed twin of the same colour goes over its own.
      const colour = Lissom.visible(curve.colour, theme);
      if (curve.swatch) curve.swatch.style.borderTopColor = colour;
      pen.strokeStyle = twin ? theme.ink : colour;
      pen.lineWidth = curve.dashed ? 1.2 : 1.7;
      pen.setLineDash(curve.dashed ? DASHES[curve.turn % DASHES.length] : among > 1 ? [STRIPE, (among - 1) * STRIPE] : []);
      pen.lineDashOffset = curve.dashed ? 0 : -place * STRIPE;
      pen.lineJoin = "round";
      pen.beginPath();
      let open = false;
      for (let k = first; k <= last; k++) {
        const v = curve.values[k];
        if (!isFinite(v)) { open = false; continue; }
        if (open) pen.lineTo(this.xAt(this.time[k]), y(v));
        else pen.moveTo(this.xAt(this.time[k]), y(v));
        open = true;
      }
      pen.stroke();
    }
    pen.setLineDash([]);
    pen.restore();
  }

  fillBand(curve, first, last, y, colour) {
    // what a curve may be off by, from each time to the next where that is known
    const { pen } = this;
    pen.fillStyle = colour;
    pen.globalAlpha = 0.25;
    pen.beginPath();
    for (let k = first; k < last; k++) {
      const [a, b] = [this.xAt(this.time[k]), this.xAt(this.time[k + 1])], [v, w] = [curve.values[k], curve.values[k + 1]];
      const [e, f] = [curve.error[k], curve.error[k + 1]];
      if (![v, w, e, f].every(isFinite)) continue;
      [[a, v + e], [b, w + f], [b, w - f], [a, v - e]].forEach(([x, at], j) => (j ? pen.lineTo(x, y(at)) : pen.moveTo(x, y(at))));
      pen.closePath();
    }
    pen.fill();
    pen.globalAlpha = 1;
  }

  stacked(first, last, pixel) {
    // The visible curves in the order of drawing, dashed ones last, with how many of them lie on each other (`among`),
    // the place among those, and whether a solid one of the same colour is there.
    const shown = this.curves.filter((curve) => !curve.hidden), step = Math.max(1, Math.floor((last - first) / 300));
    const alike = (a, b) => {
      let same = 0, count = 0;
      for (let k = first; k <= last; k += step) {
        if (!isFinite(a.values[k]) || !isFinite(b.values[k])) continue;
        count += 1;
        if (Math.abs(a.values[k] - b.values[k]) < 2 * pixel) same += 1;
      }
      return count > 0 && same > 0.7 * count;
    };
    const solid = shown.filter((curve) => !curve.dashed), groups = [];
    for (const curve of solid) {
      const group = groups.find((members) => alike(members[0], curve));
      if (group) group.push(curve); else groups.push([curve]);
    }
    const placed = new Map();
    for (const group of groups) group.forEach((curve, place) => placed.set(curve, { among: group.length, place }));
    for (const curve of shown.filter((one) => one.dashed)) {
      placed.set(curve, { among: 1, place: 0, twin: solid.some((other) => other.colour === curve.colour && alike(other, curve)) });
    }
    return placed;
  }

  stroke(points) {
    this.pen.beginPath();
    points.forEach(([x, y], k) => (k ? this.pen.lineTo(x, y) : this.pen.moveTo(x, y)));
    this.pen.stroke();
  }

  moveCursor() {
    const x = this.xAt(this.span.time || 0), inside = x >= this.left - 1 && x <= this.right + 1;
    this.cursor.style.display = inside ? "block" : "none";
    this.cursor.style.transform = `translateX(${x}px)`;
  }

  read() {
    const time = this.span.hover, x = time === null ? -1 : this.xAt(time);
    this.cross.style.display = time !== null && x >= this.left && x <= this.right ? "block" : "none";
    this.cross.style.transform = `translateX(${x}px)`;
    const k = time === null ? 0 : this.index(time);
    for (const { reading, read } of this.curves) {
      if (reading) reading.textContent = time === null ? "" : Lissom.number(read[k]);
    }
    this.legend.title = time === null ? "" : `at ${Lissom.number(this.time[k])} s`;
  }
};
