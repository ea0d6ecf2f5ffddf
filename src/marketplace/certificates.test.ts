import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, expect, test } from "vitest";
import { DAY_MS } from "#domain/clock.ts";
import { selfSigned, type SelfSigned } from "#verify/testing/certificate.ts";
import { createExchange } from "./exchange.ts";

const TOKEN = "canary-of-a-token";

const known = getCACertificates("default");
afterEach(() => setDefaultCACertificates(known));

function aCertificate({ name = "localhost", untilMs = DAY_MS }: { name?: string; untilMs?: number } = {}) {
  const nowMs = Date.now();
  return selfSigned({ name, from: new Date(nowMs - 10 * DAY_MS), until: new Date(nowMs + untilMs) });
}

/** Sends a request with a token to a server with this certificate. @returns the outcome, and what arrived */
async function askMarket(shown: SelfSigned, freshConnection: { isTooLate: () => boolean } | null) {
  const received: string[] = [];
  const server = createServer(shown, (request, response) => {
    received.push(request.headers.authorization ?? "");
    response.end("{}");
  });
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, "localhost", resolve));
  const { port } = server.address() as AddressInfo;
  await using exchange = createExchange(`https://localhost:${port}`);
  const headers = { authorization: `Bearer ${TOKEN}` };
  const sent = exchange.send({
    method: "GET",
    path: "/",
    headers,
    body: undefined,
    deadlineMs: 5_000,
    freshConnection,
  });
  const outcome = await sent.then(
    ({ status }) => status,
    (error: unknown) => error,
  );
  server.closeAllConnections();
  server.close();
  return { outcome, received };
}

const connections = [
  ["a fresh connection", { isTooLate: () => false }],
  ["a shared one", null],
] as const;

test.each(connections)("a certificate of a trusted authority is accepted, on %s", async (_, connection) => {
  const shown = aCertificate();
  setDefaultCACertificates([...known, shown.cert]);
  expect(await askMarket(shown, connection)).toEqual({ outcome: 200, received: [`Bearer ${TOKEN}`] });
});

test.each(
  [
    ["that has expired", { untilMs: -DAY_MS }, true],
    ["for another name", { name: "evil.example" }, true],
    ["that nobody we know has signed", {}, false],
  ].flatMap(([what, traits, isKnown]) =>
    connections.map(([where, connection]) => ({ what, traits, isKnown, where, connection })),
  ) as {
    what: string;
    traits: { name?: string; untilMs?: number };
    isKnown: boolean;
    where: string;
    connection: { isTooLate: () => boolean } | null;
  }[],
)("a certificate $what is a definite failure on $where, and no byte leaves", async (one) => {
  const shown = aCertificate(one.traits);
  if (one.isKnown) setDefaultCACertificates([...known, shown.cert]);
  const { outcome, received } = await askMarket(shown, one.connection);
  expect(outcome).toMatchObject({ code: "unreachable", isDefinite: true });
  expect(received).toEqual([]);
});
