import { expect, test } from "vitest";
import { z } from "zod";
import { calls } from "#contract/calls.ts";
import { startHttpWorld, type Answer } from "#http/http-world.suite.ts";
import { figure } from "./figures.ts";

/**
 * A store that fails at each of its methods in turn: a failed check must never grant access, the process must
 * survive, and the product recovers together with the store.
 */
const SENTENCE = /^[A-ZÀ-Ý].+\.$/s;
const MARKED = /secret-cause|at \/|node_modules/;

const bodies: Readonly<Record<string, unknown>> = {
  "/filtres/add": { tag: "a" },
  "/filtres/edit": { _id: "x", tag: "a" },
  "/filtres/delete": { IDs: ["x"] },
  "/filtres/copy": { _id: "x" },
  "/vinted/edit": { relais: ["x"] },
  "/vinted/cancel": { id: 1 },
  "/purchase/click": { id: 1 },
};

type Part = Record<string, unknown>;

test("no failure of the store grants access or reveals its cause", async () => {
  await using world = await startHttpWorld({ config: { areRateLimitsOn: false } });
  const person = await world.signIn("thunder");
  const parts: readonly (readonly [string, Part])[] = Object.entries({
    users: world.store.users,
    sessions: world.store.sessions,
    filters: world.store.filters,
    settings: world.store.settings,
    listings: world.store.listings,
    purchases: world.store.purchases,
    audit: world.store.audit,
  }).map(([name, part]) => [name, part as unknown as Part]);
  const points = parts.flatMap(([name, part]) =>
    Object.keys(part)
      .filter((method) => typeof part[method] === "function")
      .map((method) => ({ name: `${name}.${method}`, part, method })),
  );
  expect(points.length).toBeGreaterThanOrEqual(30);
  const stranger = world.clientWith(`__Host-sid=${"z".repeat(43)}`);
  const endpoints = Object.values(calls).filter((call) => call !== calls.signOut);
  let askedCount = 0;
  let brokenCount = 0;
  for (const { name, part, method } of points) {
    const real = part[method];
    part[method] = () => {
      throw new Error("secret-cause");
    };
    const answers = await Promise.all(
      endpoints.map(async (call) => {
        const body = { body: bodies[call.path] };
        const [strangers, own] = await Promise.all([
          stranger.send(call.method, call.path, body),
          person.send(call.method, call.path, body),
        ]);
        return { path: call.path, strangers, own };
      }),
    );
    for (const { path, strangers, own } of answers) {
      askedCount += 2;
      expectClosed(`${name} ${path}`, strangers, path);
      expect(own.text, name).not.toMatch(MARKED);
      if (own.status >= 500) brokenCount += 1;
    }
    part[method] = real;
  }
  expect(brokenCount).toBeGreaterThan(0);
  expect((await person.get("/filtres/get")).status).toBe(200);
  expect(JSON.stringify(world.log)).not.toContain("secret-cause");
  figure(
    "failures",
    `${points.length} points of the store made to throw x ${askedCount / points.length} calls: ${brokenCount} answers of 500 with a sentence, 0 let in, 0 words of the cause`,
  );
});

/** Without a session: 401, no user, or an error 500. */
function expectClosed(where: string, { status, body, text }: Answer, path: string): void {
  expect(text, where).not.toMatch(MARKED);
  if (path === calls.user.path && status === 200) {
    expect(body, where).toEqual({ user: null });
    return;
  }
  expect([401, 500], where).toContain(status);
  expect(z.looseObject({ error: z.string().regex(SENTENCE) }).safeParse(body).success, where).toBe(true);
}
