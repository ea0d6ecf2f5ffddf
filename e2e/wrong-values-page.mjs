// Runs in the page before its own code: answers its calls with prepared answers, and reports the state of the
// page.
(() => {
  const answers = new Map();
  let frame = null;
  /** The calls that this question has answered, and "flux_handler" once its event has come. */
  const answered = new Set();
  const fetchFromServer = window.fetch.bind(window);
  window.fetch = (target, options) => {
    const { pathname } = new URL(target instanceof Request ? target.url : target, window.location.href);
    if (!answers.has(pathname)) return fetchFromServer(target, options);
    answered.add(pathname);
    return Promise.resolve(Response.json(answers.get(pathname)));
  };

  // Replaces stream events as well; the rest of the connection is the server's.
  const { WebSocket } = window;
  window.WebSocket = class extends WebSocket {
    set onmessage(listener) {
      this.addEventListener("message", (event) => {
        const isNews = typeof event.data === "string" && event.data.startsWith('42["flux_handler"');
        if (isNews) answered.add("flux_handler");
        listener?.(isNews && frame !== null ? new MessageEvent("message", { data: frame }) : event);
      });
    }
  };

  // The clock advances by an hour with each question, so that every cached answer is stale.
  const nowMs = Date.now.bind(Date);
  let aheadMs = 0;
  Date.now = () => nowMs() + aheadMs;
  Object.defineProperty(document, "visibilityState", { get: () => "visible" });

  const WORDS =
    /\bNaN\b|\bnull\b|\bundefined\b|\[object Object\]|Invalid Date|\bInfinity\b|n'a pas pu s'afficher/;
  const shownText = () => {
    const named = [...document.querySelectorAll("[aria-label], [title], [alt]")].map((each) =>
      ["aria-label", "title", "alt"].map((name) => each.getAttribute(name) ?? "").join(" "),
    );
    const typed = [...document.querySelectorAll("input, textarea")].map(({ value }) => value);
    return [document.body.innerText, ...named, ...typed].join("\n");
  };
  const lineWith = (text, word) => text.split("\n").find((line) => line.includes(word)) ?? "";
  const soon = (isTrue, limitMs) =>
    new Promise((resolve) => {
      const startedAtMs = performance.now();
      const look = () => {
        const isNow = isTrue();
        if (isNow || performance.now() - startedAtMs > limitMs) resolve(isNow);
        else setTimeout(look, 8);
      };
      look();
    });
  const buttonCalled = (name) =>
    [...document.querySelectorAll("button")].find(
      (button) => (button.getAttribute("aria-label") ?? button.textContent) === name,
    );
  const hasHeading = (name) =>
    [...document.querySelectorAll("h1, h2, h3")].some(({ textContent }) => textContent === name);

  const says = (text, limitMs) => soon(() => document.body.textContent.includes(text), limitMs);

  /** Settles when the page has rendered what it received, also what it renders in later slices. */
  const drawn = async () => {
    for (let count = 0; count < 2; count += 1) await new Promise((then) => void requestAnimationFrame(then));
    await new Promise((then) => void requestIdleCallback(then));
  };

  const lookAt = async ({ call, heading, first, press, stays, limitMs }) => {
    // A button of the previous user's panel, which may have read the new answers already, would open a dialog that is
    // about to disappear.
    if (press.length > 0) {
      if (!(await soon(() => answered.has("/auth/user"), limitMs))) return "the user was not read";
      await drawn();
    }
    for (const text of first) if (!(await says(text, limitMs))) return `no '${text}'`;
    for (const name of press) {
      if (!(await soon(() => buttonCalled(name) !== undefined, limitMs))) return `no button '${name}'`;
      buttonCalled(name).click();
    }
    if (!(await soon(() => hasHeading(heading), limitMs))) return `no heading '${heading}'`;
    for (const text of stays) if (!(await says(text, limitMs))) return `no '${text}'`;
    // A screen without texts of its own may still show the content of the previous question.
    if (!(await soon(() => answered.has(call), limitMs))) return `${call} was not read`;
    await drawn();
    const mains = document.querySelectorAll("main").length;
    if (mains !== 1) return `${mains} <main>`;
    const text = shownText();
    const word = WORDS.exec(text);
    return word === null ? "" : `says '${lineWith(text, word[0])}'`;
  };

  const readAgain = () => {
    aheadMs += 3_600_000;
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  };

  /**
   * Renders the page with other answers. @returns the failure, "" for none. The answers belong to another
   * user, so the panel drops its cache and starts from nothing, as after a load.
   */
  window.troubleWith = async (question) => {
    answers.clear();
    answered.clear();
    for (const [path, answer] of Object.entries(question.answers)) answers.set(path, answer);
    frame = question.frame;
    readAgain();
    // A read in flight may have returned the previous user: the page checks its user again.
    const timer = setInterval(readAgain, 3_000);
    try {
      return await lookAt(question);
    } finally {
      clearInterval(timer);
    }
  };
})();
