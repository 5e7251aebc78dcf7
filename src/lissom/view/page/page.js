// Puts the page together: scene, charts and the bar that plays.
"use strict";

Lissom.start = () => {
  const data = JSON.parse(document.getElementById("lissom-data").textContent);
  const by = (id) => document.getElementById(id);
  const state = { time: 0, playing: false, speed: 1, drawn: 0 };
  const first = 0, last = data.duration;
  const span = new Lissom.Span(first, last);
  data.charts.forEach((chart, k) => new Lissom.Chart((k < 2 && by("beside")) || by("charts"), chart, span));
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
  for (const box of document.querySelectorAll("[data-show]")) {
    box.addEventListener("change", () => scene && scene.show(box.dataset.show, box.checked));
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
