import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, expect, test } from "vitest";
import { DAY_MS } from "#domain/clock.ts";
import { selfSigned } from "#verify/testing/certificate.ts";
import { createPoster } from "./post.ts";

const known = getCACertificates("default");
afterEach(() => setDefaultCACertificates(known));

interface Case {
  readonly what: string;
  readonly name?: string;
  readonly fromMs?: number;
  readonly untilMs?: number;
  readonly isTrusted: boolean;
}

/** Posts to a server with this certificate. @returns the outcome, and how many requests arrived */
async function postTo({ name = "localhost", fromMs = -DAY_MS, untilMs = DAY_MS, isTrusted }: Case) {
  const nowMs = Date.now();
  const shown = selfSigned({ name, from: new Date(nowMs + fromMs), until: new Date(nowMs + untilMs) });
  if (isTrusted) setDefaultCACertificates([...known, shown.cert]);
  let arrived = 0;
  const server = createServer(shown, (_request, response) => {
    arrived += 1;
    response.end("ok");
  });
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, "localhost", resolve));
  const { port } = server.address() as AddressInfo;
  await using poster = createPoster();
  const { kind } = await poster.post(`https://localhost:${port}`, { headers: {}, body: "{}" });
  server.closeAllConnections();
  server.close();
  return { kind, arrived };
}

test("a message to a trusted host arrives", async () => {
  expect(await postTo({ what: "", isTrusted: true })).toEqual({ kind: "answered", arrived: 1 });
});

test.each<Case>([
  { what: "that has expired", untilMs: -1_000, isTrusted: true },
  { what: "that is not valid yet", fromMs: DAY_MS / 2, isTrusted: true },
  { what: "for another name", name: "evil.example", isTrusted: true },
  { what: "of an unknown authority", isTrusted: false },
])("a message to a host with a certificate $what was not sent, and is sent again later", async (one) => {
  expect(await postTo(one)).toEqual({ kind: "wait", arrived: 0 });
});
