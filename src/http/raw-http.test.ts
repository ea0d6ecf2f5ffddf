import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startHttpWorld, type HttpWorld } from "./http-world.suite.ts";

let world: HttpWorld;
let port: number;

beforeAll(async () => {
  world = await startHttpWorld();
  port = Number(new URL(await world.app.listen({ port: 0, host: "127.0.0.1" })).port);
});
afterAll(() => world[Symbol.asyncDispose]());

/** The server's whole answer to these bytes until it closes the connection. */
function exchange(...parts: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.setEncoding("utf8").on("data", (text: string) => (answer += text));
    socket.on("error", (error) =>
      "code" in error && error.code === "ECONNRESET" ? resolve(answer) : reject(error),
    );
    socket.on("close", () => resolve(answer));
    for (const part of parts) socket.write(part);
  });
}

const HEAD = "Host: localhost:3000\r\nConnection: close\r\n";

function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}

test.each([
  ["no HTTP", "GARBAGE\r\n\r\n", 400, "La demande est mal formée."],
  ["a made-up method", `GETT /health HTTP/1.1\r\n${HEAD}\r\n`, 400, "La demande est mal formée."],
  [
    "a line break in a header",
    `GET /health HTTP/1.1\r\n${HEAD}X: a\rb\r\n\r\n`,
    400,
    "La demande est mal formée.",
  ],
  [
    "two lengths",
    `POST /auth/keepalive HTTP/1.1\r\n${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
    400,
    "La demande est mal formée.",
  ],
  [
    "a length and chunks at once",
    `POST /auth/keepalive HTTP/1.1\r\n${HEAD}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    "La demande est mal formée.",
  ],
  [
    "endless headers",
    `GET /health HTTP/1.1\r\n${HEAD}X: ${"a".repeat(20_000)}\r\n\r\n`,
    431,
    "Les en-têtes de la demande sont trop volumineux.",
  ],
  [
    "no host",
    "GET /auth/user HTTP/1.1\r\nConnection: close\r\n\r\n",
    421,
    "Cette adresse n'est pas celle de Synapse.",
  ],
  [
    "an address that cannot be read",
    `GET /%zz HTTP/1.1\r\n${HEAD}\r\n`,
    400,
    "L'adresse demandée est illisible.",
  ],
  [
    "a walk upwards",
    `GET /synapse/../.env HTTP/1.1\r\n${HEAD}\r\n`,
    503,
    "L'interface n'est pas construite.",
  ],
] as const)("%s is answered in French and closed", async (_what, request, status, error) => {
  const answer = await exchange(request);
  expect(statusOf(answer)).toBe(status);
  expect(answer).toContain(JSON.stringify({ error }).slice(1, -1));
  expect(answer).not.toMatch(/node|fastify|at \//i);
});

test.each([
  ["GET /filtres/get", "", 401],
  ["POST /auth/keepalive", "Origin: http://evil.example\r\n", 403],
  ["GET /health", "", 200],
])("an unknown expectation changes nothing of the answer to %s", async (line, headers, status) => {
  const asked = async (more: string): Promise<string> => {
    const answer = await exchange(`${line} HTTP/1.1\r\n${HEAD}${headers}${more}\r\n`);
    return answer.replace(/^(?:date|x-request-id): .*\r\n/gim, "");
  };
  const answer = await asked("Expect: foo\r\n");
  expect(statusOf(answer)).toBe(status);
  expect(answer).toBe(await asked(""));
});

test("a body that is not UTF-8 is refused, not saved with other characters", async () => {
  const { cookie } = await world.signIn("seeker");
  const answer = await exchange(
    `POST /filtres/add HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: 13\r\nCookie: ${cookie}\r\n\r\n`,
    Buffer.from('{"tag":"été"}', "latin1"),
  );
  expect(statusOf(answer)).toBe(400);
  expect(answer).toContain("pas du JSON lisible");
});

test("a body that claims to be endless is refused before it is read", async () => {
  const answer = await exchange(
    `POST /filtres/add HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: 9999999999\r\nCookie: ${(await world.signIn("seeker")).cookie}\r\n\r\n{`,
  );
  expect(statusOf(answer)).toBe(413);
});

test("a body of endless chunks is cut off at 64 KB", async () => {
  const { cookie } = await world.signIn("seeker");
  const chunk = `8000\r\n${" ".repeat(0x8000)}\r\n`;
  const answer = await exchange(
    `POST /filtres/add HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nCookie: ${cookie}\r\n\r\n`,
    chunk,
    chunk,
    chunk,
  );
  expect(statusOf(answer)).toBe(413);
});

test("an address with scheme and host in front is guarded like any other", async () => {
  const { cookie } = await world.signIn("seeker");
  const request = (headers: string): string =>
    `GET http://evil.example/filtres/get HTTP/1.1\r\n${HEAD}Cookie: ${cookie}\r\n${headers}\r\n`;
  expect(statusOf(await exchange(request("")))).toBe(200);
  expect(await exchange(request(""))).toMatch(/cache-control: no-store/i);
  expect(statusOf(await exchange(request("Origin: https://evil.example\r\n")))).toBe(403);
});

test("a client that disconnects within its body causes no internal error", async () => {
  const { cookie } = await world.signIn("seeker");
  const before = world.log.filter(({ level }) => level === "error").length;
  await new Promise<void>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.write(
        `POST /filtres/add HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: 50\r\nCookie: ${cookie}\r\n\r\n{"tag"`,
        () => socket.destroy(),
      );
    });
    socket.on("close", () => resolve());
  });
  expect((await world.anonymous.get("/health")).status).toBe(200);
  expect(world.log.filter(({ level }) => level === "error")).toHaveLength(before);
});

test("an address that begins with no slash is sent nowhere: it would lengthen our host's name", async () => {
  const answer = await exchange(
    "GET m://evil.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
  );
  expect(statusOf(answer)).toBe(421);
  expect(answer.toLowerCase()).not.toContain("location:");
});
