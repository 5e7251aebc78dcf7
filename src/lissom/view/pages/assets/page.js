// Puts the page together: scene, charts and the bar that plays.
"use strict";

Lissom.start = () => {
  const data = JSON.parse(document.getElementById("lissom-data").textContent);
  const by = (id) => document.getElementById(id);
  const state = { time: 0, playing: false, speed: 1, drawn: 0 };
  const first = 0, last = data.duration;
  const span = new Lissom.Span(first, last);
  const place = (chart, k) =>
    (chart.place && by(chart.place)) || (k < 2 && by("beside")) || (chart.log && by("differences")) || by("charts");
  data.charts.forEach((chart, k) => new Lissom.Chart(place(chart, k), chart, span));
  let scene = null;
  const host = by("scene");
  if (host && data.scene && typeof THREE !== "undefined") {
    try { scene = new Lissom.Scene(host, data.scene); } catch (error) {
      host.classList.add("empty");
      host.textContent = "This browser shows no 3D graphics (WebGL is off); tables and charts work all the same.";
      console.warn(String(error));
    }
  }
  const seek = (time) => {
    state.time = Math.min(Math.max(time, first), last);
    if (scene) scene.setTime(state.time);
    span.setTime(state.time);
    if (by("time")) by("time").value = state.time;
    if (by("clock")) by("clock").textContent = `${state.time.toFixed(2)} s`;
  };
  span.seek = seek;
  const play = (on) => {
    state.playing = on;
    if (on && state.time >= last) seek(first);
    const button = by("play");
    if (button) { button.textContent = on ? "Pause" : "Play"; button.classList.toggle("on", on); }
  };
  const listen = (id, event, action) => { if (by(id)) by(id).addEventListener(event, () => action(by(id))); };
  listen("play", "click", () => play(!state.playing));
  listen("time", "input", (slider) => seek(Number(slider.value)));
  listen("speed", "change", (choice) => { state.speed = Number(choice.value); });
  listen("scale", "input", (slider) => {
    const scale = Math.pow(10, Number(slider.value));
    by("scale-value").textContent = `× ${scale < 9.95 ? scale.toFixed(1) : scale.toFixed(0)}`;
    if (scene) scene.setScale(scale);
  });
  listen("view", "change", (choice) => { if (scene) scene.look(choice.value); });
  listen("reset", "click", () => { if (scene) scene.look("home"); if (by("view")) by("view").value = "home"; span.zoom(); });
  // The space bar plays and pauses, unless it is of use to what has the focus.
  document.addEventListener("keydown", (event) => {
    const own = event.target.closest && event.target.closest("button, select, a, textarea, input:not([type=range])");
    if (event.code !== "Space" || own || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    if (!event.repeat) play(!state.playing);
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    if (scene) scene.paint();
    for (const chart of span.charts) chart.draw();
  });
  for (const box of document.querySelectorAll("[data-show]")) {
    box.addEventListener("change", () => {
      if (scene) scene.show(box.dataset.show, box.checked);
      for (const most of box.parentElement.querySelectorAll(".stress-most")) most.hidden = !box.checked;
    });
  }
  let before = null;
  const frame = (now) => {
    if (state.playing && before !== null) {
      const next = state.time + (state.speed * (now - before)) / 1000;
      seek(next >= last ? last : next);
      if (next >= last) play(false);
    }
    before = now;
    if (scene && scene.draw()) state.drawn += 1;
    requestAnimationFrame(frame);
  };
  seek(first);
  requestAnimationFrame(frame);
  Lissom.page = { state, scene, span, seek, play };
};
Lissom.start();
