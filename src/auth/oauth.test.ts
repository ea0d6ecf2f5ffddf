import { createHash, randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { Secret } from "#domain/secret.ts";
import { createOAuth, SIGN_IN_MS, type OAuth, type OAuthResult, createUsedStates } from "./oauth.ts";
import { type OAuthProvider } from "./provider-calls.ts";

const PUBLIC_URL = "http://localhost:3000";
const CLIENT_SECRET = "the client's secret";

/** A provider over real HTTP with a real one's checks, which can be made to misbehave. */
interface TestProvider {
  readonly provider: OAuthProvider;
  /** Acts as the person's browser on the authorisation page; returns the callback's query. */
  approve(location: string): Record<string, string>;
  requestCount: number;
  misbehave: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  profile: Record<string, unknown>;
  close(): Promise<void>;
}

const PROFILE = {
  id: "80351110224678912",
  username: "lea",
  global_name: "Léa",
  email: "lea@example.org",
  verified: true,
  avatar: "8342729096ea3675442027381ff50dfe",
};

async function startProvider(): Promise<TestProvider> {
  const grants = new Map<string, { readonly challenge: string; readonly redirectUri: string }>();
  const server = createServer((request, response) => {
    self.requestCount += 1;
    if (self.misbehave !== null) return self.misbehave(request, response);
    if (request.url === "/token") void answerToken(request, response);
    else if (request.headers.authorization === "Bearer the-access-token")
      answerJson(response, 200, self.profile);
    else answerJson(response, 401, { message: "401: Unauthorized" });
    return undefined;
  });

  async function answerToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await textOf(request));
    const code = form.get("code") ?? "";
    const grant = grants.get(code);
    grants.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isGood =
      grant !== undefined &&
      form.get("grant_type") === "authorization_code" &&
      form.get("client_id") === "our-client" &&
      form.get("client_secret") === CLIENT_SECRET &&
      form.get("redirect_uri") === grant.redirectUri &&
      challenge === grant.challenge;
    if (!isGood) return answerJson(response, 400, { error: "invalid_grant" });
    return answerJson(response, 200, {
      access_token: "the-access-token",
      token_type: "Bearer",
      expires_in: 60,
    });
  }

  const base = await listen(server);
  const self: TestProvider = {
    requestCount: 0,
    misbehave: null,
    profile: PROFILE,
    provider: {
      key: "discord",
      clientId: "our-client",
      clientSecret: new Secret(CLIENT_SECRET),
      authorizeUrl: `${base}/authorize`,
      tokenUrl: `${base}/token`,
      profileUrl: `${base}/me`,
      pictureUrl: (id, avatar) => `https://pictures.example/${id}/${avatar}`,
    },
    approve(location) {
      const query = new URL(location).searchParams;
      const code = randomBytes(8).toString("hex");
      grants.set(code, {
        challenge: query.get("code_challenge") ?? "",
        redirectUri: query.get("redirect_uri") ?? "",
      });
      return { code, state: query.get("state") ?? "" };
    },
    close: () => close(server),
  };
  return self;
}

function answerJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += String(chunk);
  return text;
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => {
    server.close(resolve);
  });
}

let world: TestProvider;
let clock: FakeClock;
let oauth: OAuth;

beforeEach(async () => {
  world = await startProvider();
  clock = new FakeClock();
  oauth = newOAuth();
});
afterEach(() => world.close());

const cookieKey = randomBytes(32);

function newOAuth(key: Uint8Array = cookieKey): OAuth {
  return createOAuth({ provider: world.provider, publicUrl: PUBLIC_URL, cookieKey: key, clock });
}

/** Only name and value, as the browser sends them back. */
function sentBack(setCookie: string): string {
  return setCookie.split(";", 1)[0] ?? "";
}

function begin(cookieHeader?: string) {
  const { location, cookie } = oauth.begin(cookieHeader);
  return { location, cookie: sentBack(cookie), setCookie: cookie, query: world.approve(location) };
}

const refused = (reason: Extract<OAuthResult, { kind: "refused" }>["reason"]) => ({
  kind: "refused",
  reason,
});

test("begin() sends the person to the provider with exactly the two scopes, state and a PKCE challenge", () => {
  const { location, setCookie } = begin();
  const { origin, pathname, searchParams } = new URL(location);
  expect(`${origin}${pathname}`).toBe(world.provider.authorizeUrl);
  const { state, code_challenge: challenge, ...fixed } = Object.fromEntries(searchParams);
  expect(fixed).toEqual({
    response_type: "code",
    client_id: "our-client",
    redirect_uri: "http://localhost:3000/auth/discord/callback",
    scope: "identify email",
    code_challenge_method: "S256",
  });
  // 256 bits each.
  expect(state).toMatch(/^[\w-]{43}$/);
  expect(challenge).toMatch(/^[\w-]{43}$/);
  expect(setCookie).toMatch(/^__Host-oauth=[\w-]+; Path=\/; Max-Age=600; Secure; HttpOnly; SameSite=Lax$/);
});

test("begin() never repeats a state or a challenge, and shows neither verifier nor state in the cookie", () => {
  const many = Array.from({ length: 50 }, () => begin());
  expect(new Set(many.map(({ query }) => query["state"])).size).toBe(50);
  expect(new Set(many.map(({ location }) => new URL(location).searchParams.get("code_challenge"))).size).toBe(
    50,
  );
  for (const { cookie, query } of many) expect(cookie).not.toContain(query["state"]);
});

test("complete() identifies the person of the code", async () => {
  const { cookie, query } = begin();
  expect(await oauth.complete(cookie, query)).toEqual({
    kind: "identified",
    identity: {
      provider: "discord",
      providerId: "80351110224678912",
      login: "lea",
      displayName: "Léa",
      email: "lea@example.org",
      pictureUrl: "https://pictures.example/80351110224678912/8342729096ea3675442027381ff50dfe",
    },
    replaced: null,
  });
});

test("complete() works on another node that has the same key", async () => {
  const { cookie, query } = begin();
  expect(await newOAuth().complete(cookie, query)).toMatchObject({ kind: "identified" });
});

test("complete() returns the session that the browser had at the beginning", async () => {
  const secret = randomBytes(32).toString("base64url");
  const { cookie, query } = begin(`__Host-sid=${secret}`);
  const id = createHash("sha256").update(secret).digest("hex");
  expect(await oauth.complete(cookie, query)).toMatchObject({ replaced: id });
});

test("an e-mail that the provider did not verify is not kept", async () => {
  for (const verified of [false, null, undefined]) {
    world.profile = { ...PROFILE, verified };
    const { cookie, query } = begin();
    expect(await oauth.complete(cookie, query)).toMatchObject({ identity: { email: "" } });
  }
});

test("a state without its cookie, with another's or with a forged one is refused", async () => {
  const mine = begin();
  const theirs = begin();
  const attempts: readonly (readonly [string | undefined, Record<string, unknown>])[] = [
    [undefined, mine.query],
    ["", mine.query],
    [theirs.cookie, mine.query],
    [mine.cookie, theirs.query],
    [`${mine.cookie}; ${theirs.cookie}`, mine.query],
    ["__Host-oauth=forged", mine.query],
    [mine.cookie.slice(0, -4), mine.query],
    [mine.cookie, { code: mine.query["code"] }],
    [mine.cookie, { ...mine.query, state: "" }],
    [mine.cookie, { ...mine.query, state: `${String(mine.query["state"])}x` }],
    [mine.cookie, { ...mine.query, state: [mine.query["state"], mine.query["state"]] }],
    [mine.cookie, {}],
  ];
  for (const [cookie, query] of attempts)
    expect(await oauth.complete(cookie, query)).toEqual(refused("state"));
  expect(await newOAuth(randomBytes(32)).complete(mine.cookie, mine.query)).toEqual(refused("state"));
  expect(world.requestCount).toBe(0);
});

test("a state works once, even when two answers come at the same time", async () => {
  const { cookie, query, location } = begin();
  const results = await Promise.all([oauth.complete(cookie, query), oauth.complete(cookie, query)]);
  expect(results.map(({ kind }) => kind).toSorted()).toEqual(["identified", "refused"]);
  // A fresh code does not renew the state.
  expect(await oauth.complete(cookie, world.approve(location))).toEqual(refused("replayed"));
});

test("a state expires after ten minutes", async () => {
  const early = begin();
  const late = begin();
  await clock.advance(SIGN_IN_MS - 1);
  expect(await oauth.complete(early.cookie, early.query)).toMatchObject({ kind: "identified" });
  await clock.advance(1);
  expect(await oauth.complete(late.cookie, late.query)).toEqual(refused("expired"));
});

test("a person who declines at the provider is not signed in", async () => {
  const { cookie, query } = begin();
  expect(await oauth.complete(cookie, { state: query["state"], error: "access_denied" })).toEqual(
    refused("declined"),
  );
});

test("a code of another person's sign-in fails on the verifier", async () => {
  const victim = begin();
  const attacker = begin();
  const mixed = { state: attacker.query["state"], code: victim.query["code"] };
  expect(await oauth.complete(attacker.cookie, mixed)).toEqual(refused("refused"));
});

test("a code works once at the provider", async () => {
  const first = begin();
  const second = begin();
  expect(await oauth.complete(first.cookie, first.query)).toMatchObject({ kind: "identified" });
  const again = { state: second.query["state"], code: first.query["code"] };
  expect(await oauth.complete(second.cookie, again)).toEqual(refused("refused"));
});

test.each([
  ["an error of its own", 500, "unavailable"],
  ["its maintenance page", 503, "unavailable"],
  ["that we call too often", 429, "unavailable"],
  ["that it does not know us", 401, "refused"],
] as const)("complete() signs nobody in when the provider answers %s", async (_what, status, reason) => {
  world.misbehave = (_request, response) => answerJson(response, status, {});
  const { cookie, query } = begin();
  expect(await oauth.complete(cookie, query)).toEqual(refused(reason));
});

test("complete() follows no redirect of the provider", async () => {
  world.misbehave = (_request, response) => {
    response.writeHead(302, { location: world.provider.profileUrl }).end();
  };
  const { cookie, query } = begin();
  expect(await oauth.complete(cookie, query)).toEqual(refused("unavailable"));
  expect(world.requestCount).toBe(1);
});

test.each([
  ["no JSON", "<html>"],
  ["another shape", '{"token":1}'],
  ["nothing", ""],
  [
    "an endless answer",
    JSON.stringify({ access_token: "a", token_type: "Bearer", more: "x".repeat(100_000) }),
  ],
  ["an empty token", '{"access_token":"","token_type":"Bearer"}'],
])("complete() does not believe a provider that answers %s", async (_what, body) => {
  world.misbehave = (_request, response) => response.writeHead(200).end(body);
  const { cookie, query } = begin();
  expect(await oauth.complete(cookie, query)).toEqual(refused("unreadable"));
});

test("complete() refuses a profile without an id", async () => {
  world.profile = { ...PROFILE, id: 5 };
  const { cookie, query } = begin();
  expect(await oauth.complete(cookie, query)).toEqual(refused("unreadable"));
});

test("complete() survives a provider that breaks the connection within its answer", async () => {
  world.misbehave = (_request, response) => {
    response.writeHead(200, { "content-length": "1000" });
    response.write('{"access_', () => response.destroy());
  };
  const { cookie, query } = begin();
  expect(await oauth.complete(cookie, query)).toEqual(refused("unavailable"));
});

test.each([
  // More than is read at once, less than stops the reading of the connection.
  ["whose body is not read", 401, {}, 100_000],
  ["of many encodings", 200, { "content-encoding": "gzip, gzip, gzip, gzip, gzip, gzip" }, 1_000],
])("complete() survives a provider that breaks off an answer %s", async (_what, status, headers, length) => {
  const { promise: broken, resolve: breaks } = Promise.withResolvers<void>();
  world.misbehave = (_request, response) => {
    response.writeHead(status, { connection: "close", ...headers });
    response.write("x".repeat(length));
    // Late enough for the beginning to be read.
    setTimeout(() => {
      response.socket?.resetAndDestroy();
      breaks();
    }, 100);
  };
  const { cookie, query } = begin();
  expect((await oauth.complete(cookie, query)).kind).toBe("refused");
  await broken;
  // An unhandled error would be raised by then, and fail the run.
  await pause(100);
});

test("complete() survives a provider that is down", async () => {
  const { cookie, query } = begin();
  await world.close();
  expect(await oauth.complete(cookie, query)).toEqual(refused("unavailable"));
});

test("a state is taken once", () => {
  const used = createUsedStates(1_000);
  expect([used.take("a", 0), used.take("a", 1), used.take("b", 2), used.take("a", 999)]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

test("a state is forgotten once it could no longer be valid", () => {
  const used = createUsedStates(1_000);
  expect(used.take("a", 0)).toBe(true);
  expect(used.take("b", 500)).toBe(true);
  // A callback with "a" at this time is refused as expired before the list is read.
  expect(used.take("a", 1_000)).toBe(true);
  expect(used.take("b", 1_001)).toBe(false);
});
