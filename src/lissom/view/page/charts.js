// Charts over time on a canvas: hover reads values, a drag zooms, a double click shows all, a legend entry hides its curve.
"use strict";

Lissom.ticks = (low, high, count) => {
  const rough = (high - low) / Math.max(1, count), power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough * 0.999) || 10);
  const made = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) made.push(k * step);
  return { made, step };
};
Lissom.number = (value, step) => {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (step === undefined) {
    if (!isFinite(value)) return "–";
    return size >= 1e5 || size < 1e-3 ? value.toExponential(3) : String(Number(value.toPrecision(5)));
  }
  if (size >= 1e5 || step < 1e-4) return value.toExponential(1);
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
    this.curves = data.series.map((s) => ({ ...s, values: Lissom.floats(s.values), hidden: false }));
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
      swatch.style.borderTop = `2px ${curves[0].dashed ? "dashed" : "solid"} ${colour}`;
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
    const air = 0.06 * (high - low) || 0.06 * Math.abs(high) || 1;
    return [first, last, low >= 0 && low < 0.25 * high ? 0 : low - air, high + air];
  }

  draw() {
    const { pen } = this;
    if (!pen) return;
    const [first, last, low, high] = this.range();
    this.top = 8;
    this.bottom = this.height - 34;
    const rows = Lissom.ticks(low, high, Math.max(2, Math.floor((this.bottom - this.top) / 42)));
    pen.font = "11px system-ui, sans-serif";
    const texts = rows.made.map((v) => Lissom.number(v, rows.step));
    this.left = 30 + Math.max(...texts.map((text) => pen.measureText(text).width));
    this.right = this.width - 12;
    const y = (v) => this.bottom - ((v - low) / (high - low)) * (this.bottom - this.top);
    pen.clearRect(0, 0, this.width, this.height);
    pen.lineWidth = 1;
    pen.strokeStyle = "#e8ebee";
    pen.fillStyle = "#5b6570";
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
    for (const curve of this.curves) {
      if (curve.hidden) continue;
      pen.strokeStyle = curve.colour;
      pen.lineWidth = curve.dashed ? 1.2 : 1.7;
      pen.setLineDash(curve.dashed ? [5, 4] : []);
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
    for (const { reading, values } of this.curves) {
      if (reading) reading.textContent = time === null ? "" : Lissom.number(values[k]);
    }
    this.legend.title = time === null ? "" : `at ${Lissom.number(this.time[k])} s`;
  }
};
