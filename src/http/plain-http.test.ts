import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { startHttpWorld } from "./http-world.suite.ts";

const HTTPS = "https://synapse.example";

/** This machine's non-loopback address, which the product treats as another machine. */
const outside = Object.values(networkInterfaces())
  .flat()
  .find((one) => one !== undefined && !one.internal && one.family === "IPv4")?.address;

function ask(host: string, port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const wire = connect(port, host, () => wire.write(request));
    let text = "";
    wire.setEncoding("utf8").on("data", (part: string) => (text += part));
    wire.on("error", reject).on("close", () => resolve(text));
  });
}

const requestFor = (path: string, scheme = ""): string =>
  `GET ${path} HTTP/1.1\r\nHost: synapse.example\r\n${scheme}Connection: close\r\n\r\n`;

test("with an https public URL, X-Forwarded-Proto of a trusted proxy decides the scheme", async () => {
  await using world = await startHttpWorld({
    config: { publicUrl: HTTPS, trustedProxies: ["127.0.0.1"] },
  });
  const port = Number(new URL(await world.app.listen({ port: 0, host: "127.0.0.1" })).port);
  expect(await ask("127.0.0.1", port, requestFor("/auth/user", "X-Forwarded-Proto: https\r\n"))).toMatch(
    /^HTTP\/1.1 200/,
  );
  const plain = await ask("127.0.0.1", port, requestFor("/auth/user", "X-Forwarded-Proto: http\r\n"));
  expect(plain).toMatch(/^HTTP\/1.1 403/);
  expect(plain).toContain("Synapse ne répond qu'en HTTPS.");
  expect(await ask("127.0.0.1", port, requestFor("/health", "X-Forwarded-Proto: http\r\n"))).toMatch(
    /^HTTP\/1.1 200/,
  );
});

test("with an https address a plain request from another machine is refused", async () => {
  await using world = await startHttpWorld({ config: { publicUrl: HTTPS } });
  const port = Number(new URL(await world.app.listen({ port: 0, host: "0.0.0.0" })).port);
  const forged = requestFor("/auth/user", "X-Forwarded-Proto: https\r\n");
  // A machine without a network has no such address; createPlainHttpGuard itself is tested without one.
  if (outside !== undefined) expect(await ask(outside, port, forged)).toMatch(/^HTTP\/1.1 403/);
  expect(await ask("127.0.0.1", port, forged)).toMatch(/^HTTP\/1.1 200/);
});
