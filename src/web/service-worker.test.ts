import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";

const origin = "https://synapse.example";
const code = readFileSync(new URL("public/service-worker.js", import.meta.url), "utf8");

test("the offline page may run its own script only, which reloads with the URL's fragment", async () => {
  const listeners = new Map<string, (event: unknown) => void>();
  const self = {
    addEventListener: (name: string, listener: (event: unknown) => void) => listeners.set(name, listener),
  };
  runInNewContext(code, { self, Response, fetch: () => Promise.reject(new Error("offline")) });
  let answer: Promise<Response> | undefined;
  listeners.get("fetch")?.({
    request: { mode: "navigate" },
    preloadResponse: Promise.resolve(undefined),
    respondWith: (given: Promise<Response>) => {
      answer = given;
    },
  });
  const page = await answer;
  const [, script = ""] = /<script>(.*)<\/script>/u.exec((await page?.text()) ?? "") ?? [];
  expect(script).toContain("location.reload()");
  const hash = createHash("sha256").update(script).digest("base64");
  expect(page?.headers.get("content-security-policy")).toContain(`script-src 'sha256-${hash}'`);
});

interface Push {
  readonly data: { json(): unknown };
  readonly currentTarget: unknown;
  waitUntil(work: Promise<unknown>): void;
}

/** Whether the worker shows a push of the type while a window with the path is focused. */
async function isShown(type: string, path: string, focused = true): Promise<boolean> {
  const listeners = new Map<string, (event: Push) => void>();
  const self = {
    addEventListener: (name: string, listener: (event: Push) => void) => listeners.set(name, listener),
  };
  runInNewContext(code, { self, URL, navigator: { userAgent: "Chrome/1 Safari/1" } });
  let shown = 0;
  let work: Promise<unknown> | undefined;
  listeners.get("push")?.({
    data: { json: () => ({ type, titre: "", corps: "", sonore: true, marque: "", url: "", actions: [] }) },
    currentTarget: {
      registration: {
        showNotification: () => {
          shown += 1;
          return Promise.resolve();
        },
      },
      clients: { matchAll: () => Promise.resolve([{ focused, url: `${origin}${path}` }]) },
    },
    waitUntil: (given) => {
      work = given;
    },
  });
  await work;
  return shown === 1;
}

test.each(["article", "groupe", "achat", "resume"])(
  "the focused panel shows news of the type %s itself",
  async (type) => {
    expect(await isShown(type, "/synapse/articles")).toBe(false);
    expect(await isShown(type, "/synapse/articles", false)).toBe(true);
  },
);

test.each(["/", "/alerte#jeton", "/confidentialite"])("a push is shown over the page %s", async (path) => {
  expect(await isShown("article", path)).toBe(true);
});

test.each(["banque", "compte", "essai"])("a push of the type %s is shown over the panel", async (type) => {
  expect(await isShown(type, "/synapse/articles")).toBe(true);
});
