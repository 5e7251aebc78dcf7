// Many runs at once: lines across all axes, points of two of them, and the one that is picked.
"use strict";

const Study = (() => {
  const data = JSON.parse(document.getElementById("lissom-data").textContent);
  const columns = data.columns, count = data.runs.length, find = (id) => document.getElementById(id);
  for (const one of columns) {
    const known = one.values.filter((x) => x !== null);
    one.low = Math.min(...known); one.high = Math.max(...known);
    if (!known.length) { one.low = 0; one.high = 1; }
    one.share = (x) => (one.high > one.low ? (x - one.low) / (one.high - one.low) : 0.5);
    one.label = one.unit ? `${one.name} [${one.unit}]` : one.name;
  }
  const state = { bands: new Map(), picked: null, colour: columns.length - 1, x: 0, y: columns.findIndex((one) => !one.input), drawn: 0 };

  const theme = () => {
    const style = getComputedStyle(document.documentElement);
    return Object.fromEntries(["ink", "soft", "lines", "paper", "accent"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  };
  const dark = () => matchMedia("(prefers-color-scheme: dark)").matches;
  // from blue over green to orange, readable on light and dark paper
  const RAMP = [[[33, 76, 160], [0, 140, 130], [214, 120, 0]], [[110, 160, 255], [40, 200, 180], [255, 180, 70]]];
  const ramp = (s) => {
    const stops = RAMP[dark() ? 1 : 0], at = Math.min(Math.max(s, 0), 1) * 2, k = Math.min(Math.floor(at), 1);
    return `rgb(${stops[k].map((c, i) => Math.round(c + (stops[k + 1][i] - c) * (at - k))).join(",")})`;
  };
  const number = (x) => (x === null ? "–" : x !== 0 && (Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3) ? x.toExponential(3) : String(Number(x.toPrecision(5))));
  const shown = (one, x) => (x !== null && one.words.length ? one.words[x] : number(x));
  const colourOf = (k) => { const one = columns[state.colour], x = one.values[k]; return x === null ? theme().soft : ramp(one.share(x)); };
  const kept = (k) => [...state.bands].every(([c, [low, high]]) => { const x = columns[c].values[k]; return x !== null && x >= low && x <= high; });

  const canvas = (box) => {
    const made = document.createElement("canvas"), pen = made.getContext("2d");
    box.append(made);
    const fit = () => {
      const scale = window.devicePixelRatio || 1, { width, height } = box.getBoundingClientRect();
      made.width = Math.round(width * scale); made.height = Math.round(height * scale);
      pen.setTransform(scale, 0, 0, scale, 0, 0);
      return [width, height];
    };
    return { box, pen, fit };
  };

  // lines ---------------------------------------------------------------------------------------------------------
  const TOP = 60, BOTTOM = 26, SIDE = 76;
  const lines = canvas(find("lines"));
  find("lines").style.minWidth = `${Math.max(300, 132 * columns.length)}px`;
  const axisX = (c, width) => SIDE + (columns.length > 1 ? c / (columns.length - 1) : 0.5) * (width - 2 * SIDE);
  const axisY = (c, x, height) => height - BOTTOM - columns[c].share(x) * (height - TOP - BOTTOM);
  const clipped = (text, width, pen) => {
    if (pen.measureText(text).width <= width) return text;
    let end = text;
    while (end.length > 3 && pen.measureText(`…${end}`).width > width) end = end.slice(1);
    return `…${end}`;
  };
  // a path in two lines, broken after the dot or at the space that leaves them about as long
  const inLines = (text, width, pen) => {
    if (pen.measureText(text).width <= width) return [text];
    const breaks = [...text].map((letter, k) => (letter === "." || letter === " " ? k + 1 : 0)).filter((k) => k && k < text.length);
    const at = breaks.sort((a, b) => Math.abs(text.length - 2 * a) - Math.abs(text.length - 2 * b))[0];
    return at ? [clipped(text.slice(0, at), width, pen), clipped(text.slice(at), width, pen)] : [clipped(text, width, pen)];
  };
  const line = (k, width, height) => {
    const { pen } = lines;
    pen.beginPath();
    let open = false;
    columns.forEach((one, c) => {
      const x = one.values[k];
      if (x === null) { open = false; return; }
      const place = [axisX(c, width), axisY(c, x, height)];
      const alone = !open && (c + 1 >= columns.length || columns[c + 1].values[k] === null);
      if (alone) { pen.moveTo(place[0] - 5, place[1]); pen.lineTo(place[0] + 5, place[1]); }
      else if (open) pen.lineTo(...place); else pen.moveTo(...place);
      open = true;
    });
    pen.stroke();
  };
  const drawLines = () => {
    const [width, height] = lines.fit(), { pen } = lines, colours = theme();
    pen.clearRect(0, 0, width, height);
    const within = [...Array(count).keys()].filter(kept);
    pen.globalAlpha = Math.min(0.9, 0.1 + 60 / Math.max(1, within.length));
    pen.lineWidth = 1;
    for (const k of within) { pen.strokeStyle = colourOf(k); line(k, width, height); }
    pen.globalAlpha = 1;
    pen.font = "12px system-ui, sans-serif"; pen.textAlign = "center";
    columns.forEach((one, c) => {
      const x = axisX(c, width), room = Math.max(60, (width - 2 * SIDE) / Math.max(1, columns.length - 1) - 8);
      pen.strokeStyle = colours.lines; pen.lineWidth = 1.5;
      pen.beginPath(); pen.moveTo(x, TOP); pen.lineTo(x, height - BOTTOM); pen.stroke();
      pen.fillStyle = colours.ink; pen.font = `${one.input ? "" : "600 "}12px system-ui, sans-serif`;
      const label = inLines(one.label, Math.min(room, 2 * SIDE - 6), pen);
      label.forEach((part, k) => pen.fillText(part, x, 28 - 14 * (label.length - 1 - k)));
      pen.font = "11.5px system-ui, sans-serif"; pen.fillStyle = colours.soft;
      pen.fillText(shown(one, one.high), x, TOP - 8); pen.fillText(shown(one, one.low), x, height - BOTTOM + 16);
      one.words.slice(1, -1).forEach((word, k) => pen.fillText(word, x, axisY(c, k + 1, height) - 3));
      const band = state.bands.get(c);
      if (band) {
        const [a, b] = band.map((v) => axisY(c, v, height));
        pen.fillStyle = colours.accent; pen.globalAlpha = 0.3; pen.fillRect(x - 8, b, 16, a - b); pen.globalAlpha = 1;
        pen.strokeStyle = colours.accent; pen.strokeRect(x - 8, b, 16, a - b);
      }
    });
    if (state.picked !== null) { pen.strokeStyle = colours.ink; pen.lineWidth = 2.5; line(state.picked, width, height); }
    find("count").textContent = state.bands.size ? `${within.length} of ${count} runs` : `${count} runs`;
  };
  const place = (event, box) => { const at = box.getBoundingClientRect(); return [event.clientX - at.left, event.clientY - at.top, at.width, at.height]; };
  const nearestLine = (x, y, width, height) => {
    let best = null, least = 14;
    for (let k = 0; k < count; k++) {
      if (!kept(k)) continue;
      for (let c = 0; c + 1 < columns.length; c++) {
        const [a, b] = [axisX(c, width), axisX(c + 1, width)];
        if (x < a || x > b) continue;
        const [u, v] = [columns[c].values[k], columns[c + 1].values[k]];
        if (u === null || v === null) continue;
        const [p, q] = [axisY(c, u, height), axisY(c + 1, v, height)], off = Math.abs(y - (p + ((q - p) * (x - a)) / (b - a)));
        if (off < least) { least = off; best = k; }
      }
    }
    return best;
  };
  let drag = null;
  lines.box.addEventListener("pointerdown", (event) => {
    const [x, y, width, height] = place(event, lines.box);
    const c = columns.findIndex((_, k) => Math.abs(axisX(k, width) - x) < 16);
    if (c >= 0) { drag = { c, from: y, moved: false }; lines.box.setPointerCapture(event.pointerId); event.preventDefault(); return; }
    pick(nearestLine(x, y, width, height));
  });
  lines.box.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const [, y, , height] = place(event, lines.box), one = columns[drag.c];
    if (Math.abs(y - drag.from) < 4 && !drag.moved) return;
    drag.moved = true;
    const value = (at) => one.low + Math.min(Math.max((height - BOTTOM - at) / (height - TOP - BOTTOM), 0), 1) * (one.high - one.low);
    const [a, b] = [value(drag.from), value(y)];
    state.bands.set(drag.c, [Math.min(a, b), Math.max(a, b)]);
    draw();
  });
  lines.box.addEventListener("pointerup", () => {
    if (drag && !drag.moved) { state.bands.delete(drag.c); draw(); }
    drag = null;
  });

  // points --------------------------------------------------------------------------------------------------------
  const points = canvas(find("points")), LEFT = 78, LOW = 40, EDGE = 12;
  const spot = (k, width, height) => {
    const [a, b] = [columns[state.x], columns[state.y]], [u, v] = [a.values[k], b.values[k]];
    if (u === null || v === null) return null;
    return [LEFT + a.share(u) * (width - LEFT - EDGE), height - LOW - b.share(v) * (height - LOW - EDGE)];
  };
  const drawPoints = () => {
    const [width, height] = points.fit(), { pen } = points, colours = theme(), [a, b] = [columns[state.x], columns[state.y]];
    pen.clearRect(0, 0, width, height);
    pen.strokeStyle = colours.lines;
    pen.beginPath(); pen.moveTo(LEFT - 6, EDGE); pen.lineTo(LEFT - 6, height - LOW + 6); pen.lineTo(width - EDGE, height - LOW + 6); pen.stroke();
    for (let k = 0; k < count; k++) {
      const at = spot(k, width, height);
      if (!at) continue;
      const inside = kept(k);
      pen.globalAlpha = inside ? Math.min(1, 0.35 + 150 / count) : 0.08;
      pen.fillStyle = colourOf(k);
      pen.beginPath(); pen.arc(...at, 3, 0, 7); pen.fill();
    }
    pen.globalAlpha = 1;
    if (state.picked !== null) {
      const at = spot(state.picked, width, height);
      if (at) { pen.strokeStyle = colours.ink; pen.lineWidth = 2; pen.beginPath(); pen.arc(...at, 6, 0, 7); pen.stroke(); pen.lineWidth = 1; }
    }
    pen.font = "11.5px system-ui, sans-serif"; pen.fillStyle = colours.soft;
    pen.textAlign = "left"; pen.fillText(shown(a, a.low), LEFT - 6, height - LOW + 20);
    pen.textAlign = "right"; pen.fillText(shown(a, a.high), width - EDGE, height - LOW + 20);
    pen.fillText(shown(b, b.low), LEFT - 10, height - LOW + 4); pen.fillText(shown(b, b.high), LEFT - 10, EDGE + 8);
    pen.fillStyle = colours.ink; pen.textAlign = "center";
    pen.fillText(clipped(a.label, width - 220, pen), (LEFT + width) / 2, height - 8);
    pen.save(); pen.translate(14, (height - LOW) / 2); pen.rotate(-Math.PI / 2); pen.fillText(clipped(b.label, height - 90, pen), 0, 0); pen.restore();
  };
  points.box.addEventListener("pointerdown", (event) => {
    const [x, y, width, height] = place(event, points.box);
    let best = null, least = 18;
    for (let k = 0; k < count; k++) {
      const at = kept(k) && spot(k, width, height);
      if (!at) continue;
      const off = Math.hypot(at[0] - x, at[1] - y);
      if (off < least) { least = off; best = k; }
    }
    pick(best);
  });

  // the picked run ------------------------------------------------------------------------------------------------
  const pick = (k) => {
    state.picked = k;
    const open = find("open"), list = find("picked");
    list.replaceChildren();
    if (k === null) {
      open.hidden = true;
      list.textContent = "Click a line or a point, or write the number of a run.";
      draw();
      return;
    }
    find("number").value = data.runs[k];
    open.hidden = !data.served; open.href = `run/${data.runs[k]}`;
    const table = document.createElement("table");
    for (const one of columns) {
      const row = table.insertRow();
      row.insertCell().textContent = one.name;
      const cell = row.insertCell();
      cell.className = "number"; cell.textContent = `${shown(one, one.values[k])} ${one.unit}`;
    }
    list.append(table);
    draw();
  };
  find("number").max = data.total - 1;
  find("number").addEventListener("change", () => {
    const wanted = Math.round(Math.min(Math.max(Number(find("number").value) || 0, 0), data.total - 1)), at = data.runs.indexOf(wanted);
    find("number").value = wanted;
    pick(at < 0 ? null : at);
    if (at >= 0) return;
    find("picked").textContent = "This run is not drawn; its values are in the store.";
    find("open").hidden = !data.served; find("open").href = `run/${wanted}`;
  });

  // controls ------------------------------------------------------------------------------------------------------
  for (const [id, key] of [["colour", "colour"], ["x", "x"], ["y", "y"]]) {
    const select = find(id);
    columns.forEach((one, c) => select.add(new Option(one.name, c, false, c === state[key])));
    select.addEventListener("change", () => { state[key] = Number(select.value); draw(); });
  }
  find("all").addEventListener("click", () => { state.bands.clear(); draw(); });
  const draw = () => { drawLines(); drawPoints(); state.drawn += 1; };
  new ResizeObserver(draw).observe(lines.box);
  new ResizeObserver(draw).observe(points.box);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  pick(null);
  return { state, data, columns, pick, kept };
})();
