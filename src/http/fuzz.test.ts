import { request } from "node:http";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { calls } from "#contract/calls.ts";
import { startHttpWorld, type Answer, type HttpWorld } from "./http-world.suite.ts";

/** Any address or header is answered by a French sentence, never an internal error (bodies: security/). */
let world: HttpWorld;
let port: string;

beforeAll(async () => {
  world = await startHttpWorld({ config: { areRateLimitsOn: false } });
  ({ port } = new URL(await world.app.listen({ port: 0, host: "127.0.0.1" })));
});
afterAll(() => world[Symbol.asyncDispose]());

function expectDecent(answer: Answer): void {
  expect(answer.status, answer.text).toBeLessThan(500);
  if (answer.status < 400) return;
  expect(answer.body).toMatchObject({ error: expect.stringMatching(/^[A-ZÀ-Ý].+\.$/s) as unknown });
  expect(answer.text).not.toMatch(/\bat \/|node_modules|select |insert |ZodError|FST_ERR/);
}

/** Over a real connection, since test clients normalise the address first. */
function askRaw(method: string, path: string): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { host: "localhost:3000" };
    const asked = request({ host: "127.0.0.1", port, method, path, headers }, (response) => {
      let answer = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (answer += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text: answer }));
    });
    asked.on("error", reject).end();
  });
}

test("any address", async () => {
  const part = fc.oneof(
    fc.stringMatching(/^[!-~]{0,12}$/),
    fc.constantFrom("..", ".env", "%2e%2e", "%5c", "\\", "filtres", "auth", "synapse", "%E0%A4%A", "get"),
  );
  const methods = fc.constantFrom("GET", "POST", "PUT", "HEAD");
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 5 }), methods, async (parts, method) => {
      const answer = await askRaw(method, `/${parts.join("/")}`);
      // Without a built web its pages answer 503, and nothing else may.
      if (answer.status === 503) expect(answer.text === "" || answer.text.includes("L'interface")).toBe(true);
      else expect(answer.status).toBeLessThan(500);
    }),
    { numRuns: 400 },
  );
});

test("any headers", async () => {
  const value = fc.stringMatching(/^[ -~]{0,40}$/);
  const headers = fc.record(
    {
      host: fc.oneof(value, fc.constant("localhost:3000")),
      cookie: fc.oneof(
        value,
        value.map((secret) => `__Host-sid=${secret}`),
      ),
      origin: value,
      "content-type": fc.oneof(value, fc.constant("application/json")),
      "sec-fetch-site": fc.oneof(value, fc.constant("same-origin")),
      "accept-encoding": value,
      "x-forwarded-for": value,
      "x-forwarded-host": value,
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(headers, fc.constantFrom(...Object.values(calls)), async (sent, { method, path }) =>
      expectDecent(await world.anonymous.send(method, path, { headers: sent })),
    ),
    { numRuns: 400 },
  );
});
