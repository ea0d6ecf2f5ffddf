import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY_MS } from "#domain/clock.ts";
import { startHttpWorld, type Answer, type HttpWorld } from "#http/http-world.suite.ts";
import { figure, sized } from "./figures.ts";

/** Attempts to obtain another person's session, to keep an expired one, and to manipulate the OAuth flow. */
let world: HttpWorld;
let caseCount = 0;

beforeAll(async () => {
  world = await startHttpWorld({ config: { areRateLimitsOn: false } });
});
afterAll(async () => {
  figure("session and OAuth", `${caseCount} cases: 0 sessions that should not be, 0 redirects elsewhere`);
  await world[Symbol.asyncDispose]();
});

interface Begun {
  readonly cookie: string;
  /** The provider's page. */
  readonly address: URL;
}

async function begin(cookie = ""): Promise<Begun> {
  const answer = await world.clientWith(cookie).get("/auth/discord");
  return { cookie: answer.cookies.join("; "), address: new URL(String(answer.headers["location"])) };
}

let nameCount = 0;
const newName = (kind = "thunder"): string => `${kind}-s${(nameCount += 1)}`;

/** The parameters of the provider's redirect. */
async function approve({ address }: Begun, name = newName()): Promise<URLSearchParams> {
  const approved = new URL(address);
  approved.searchParams.set("persona", name);
  const response = await fetch(approved, { redirect: "manual" });
  return new URL(response.headers.get("location") ?? "http://nowhere.example").searchParams;
}

async function callback(cookie: string, query: URLSearchParams | string): Promise<Answer> {
  return await world.clientWith(cookie).get(`/auth/discord/callback?${query.toString()}`);
}

async function session(name = newName()): Promise<string> {
  const begun = await begin();
  const answer = await callback(begun.cookie, await approve(begun, name));
  expect(answer.cookies.join()).toContain("__Host-sid=");
  return answer.cookies.find((cookie) => cookie.startsWith("__Host-sid=")) ?? "";
}

function expectRefused(answer: Answer): void {
  expect([answer.status, answer.headers["location"]]).toEqual([302, "/"]);
  expect(answer.cookies.filter((cookie) => cookie.startsWith("__Host-sid"))).toEqual([]);
}

async function isAlive(cookie: string): Promise<boolean> {
  const { body } = await world.clientWith(cookie).get("/auth/user");
  return (body as { readonly user: unknown }).user !== null;
}

type Case = readonly [name: string, run: () => Promise<void>];

/** The callback with one manipulation. */
function tampered(name: string, tamper: (query: URLSearchParams, begun: Begun) => string | void): Case {
  return [
    `callback: ${name}`,
    async () => {
      const begun = await begin();
      const query = await approve(begun);
      const cookie = tamper(query, begun) ?? begun.cookie;
      expectRefused(await callback(cookie, query));
    },
  ];
}

const oauthCookie = (value: string): string => `__Host-oauth=${value}`;
const valueOf = (cookie: string): string => cookie.slice(cookie.indexOf("=") + 1);

const callbacks: readonly Case[] = [
  tampered("no state", (query) => query.delete("state")),
  tampered("an empty state", (query) => query.set("state", "")),
  tampered("another state", (query) => query.set("state", "x".repeat(43))),
  tampered("a state twice", (query) => query.append("state", query.get("state") ?? "")),
  tampered("an object for a state", (query) => {
    query.delete("state");
    query.set("state[a]", "1");
  }),
  tampered("a state cut by one", (query) => query.set("state", (query.get("state") ?? "").slice(1))),
  tampered("a state in another case", (query) =>
    query.set("state", (query.get("state") ?? "").toUpperCase()),
  ),
  tampered("no cookie", () => "other=1"),
  tampered("an empty cookie", () => oauthCookie("")),
  tampered("a forged cookie", () => oauthCookie("A".repeat(200))),
  tampered("a cookie cut by one", (_query, { cookie }) => cookie.slice(0, -2)),
  tampered("a cookie with a changed byte", (_query, { cookie }) => {
    const value = valueOf(cookie);
    return oauthCookie(`${value.slice(0, 40)}${value[40] === "A" ? "B" : "A"}${value.slice(41)}`);
  }),
  tampered("two cookies that differ", (_query, { cookie }) => `${cookie}; ${oauthCookie("B".repeat(80))}`),
  tampered("a cookie of another name", (_query, { cookie }) => cookie.replace("__Host-", "__Secure-")),
  tampered("no code", (query) => query.delete("code")),
  tampered("an empty code", (query) => query.set("code", "")),
  tampered("an invented code", (query) => query.set("code", "invented")),
  tampered("a code twice", (query) => query.append("code", "x")),
  tampered("a code of a kilobyte", (query) => query.set("code", "x".repeat(1_024))),
  tampered("an error of the provider", (query) => {
    query.delete("code");
    query.set("error", "access_denied");
  }),
  [
    "callback: another browser's cookie",
    async () => {
      const [mine, theirs] = [await begin(), await begin()];
      expectRefused(await callback(theirs.cookie, await approve(mine)));
    },
  ],
  [
    "callback: another's code with my state (login CSRF)",
    async () => {
      const [mine, theirs] = [await begin(), await begin()];
      const query = await approve(mine);
      query.set("code", (await approve(theirs)).get("code") ?? "");
      // The verifier of my cookie does not match the challenge of the code.
      expectRefused(await callback(mine.cookie, query));
    },
  ],
  [
    "callback: replayed",
    async () => {
      const begun = await begin();
      const query = await approve(begun);
      expect((await callback(begun.cookie, query)).cookies.join()).toContain("__Host-sid=");
      expectRefused(await callback(begun.cookie, query));
    },
  ],
  [
    "callback: twice at the same moment",
    async () => {
      const begun = await begin();
      const query = await approve(begun);
      const answers = await Promise.all([callback(begun.cookie, query), callback(begun.cookie, query)]);
      expect(answers.filter(({ cookies }) => cookies.join().includes("__Host-sid=")).length).toBe(1);
    },
  ],
  [
    "callback: after ten minutes",
    async () => {
      const begun = await begin();
      const query = await approve(begun);
      await world.clock.advance(10 * 60_000);
      expectRefused(await callback(begun.cookie, query));
    },
  ],
  [
    "callback: with a session cookie alone",
    async () => expectRefused(await callback(await session(), "code=a&state=b")),
  ],
];

/** Redirect parameters that an attacker might add. */
const ELSEWHERE = [
  "redirect_uri=https://evil.example/",
  "next=https://evil.example/",
  "return_to=//evil.example",
  "redirect=/\\evil.example",
  "state=https://evil.example/&code=x",
  "error=access_denied&error_uri=https://evil.example/",
  "error_description=%3Cscript%3Ealert(1)%3C/script%3E",
  "code=x%0d%0aLocation:%20https://evil.example/",
];

const redirects: readonly Case[] = [
  ...ELSEWHERE.map((query): Case => [
    `redirect: the callback with ${query.slice(0, 40)}`,
    async () => expectRefused(await callback((await begin()).cookie, query)),
  ]),
  ...ELSEWHERE.slice(0, 4).map((query): Case => [
    `redirect: the start with ${query.slice(0, 40)}`,
    async () => {
      const answer = await world.anonymous.get(`/auth/discord?${query}`);
      const to = new URL(String(answer.headers["location"]));
      expect(to.origin).toBe(world.sandboxUrl);
      expect(to.searchParams.getAll("redirect_uri")).toEqual(["http://localhost:3000/auth/discord/callback"]);
    },
  ]),
  [
    "redirect: the provider is told S256, two scopes and nothing of the verifier",
    async () => {
      const { address, cookie } = await begin();
      expect(address.searchParams.get("code_challenge_method")).toBe("S256");
      expect(address.searchParams.get("scope")).toBe("identify email");
      expect(address.href).not.toContain(valueOf(cookie).slice(0, 20));
      expect([...address.searchParams.keys()].some((name) => /verifier|secret/.test(name))).toBe(false);
    },
  ],
  [
    "redirect: the provider refuses another way back",
    async () => {
      const { address } = await begin();
      address.searchParams.set("redirect_uri", "https://evil.example/callback");
      address.searchParams.set("persona", newName());
      const response = await fetch(address, { redirect: "manual" });
      expect([response.status, response.headers.get("location")]).toEqual([400, null]);
    },
  ],
];

const planted = `__Host-sid=${"p".repeat(43)}`;

const sessions: readonly Case[] = [
  [
    "fixation: a planted session is not adopted",
    async () => {
      const begun = await begin(planted);
      const answer = await callback(`${begun.cookie}; ${planted}`, await approve(begun));
      expect(answer.cookies.join()).not.toContain(planted);
      expect(await isAlive(planted)).toBe(false);
    },
  ],
  [
    "fixation: each sign-in has a session of its own",
    async () => {
      const name = newName();
      const [one, other] = [await session(name), await session(name)];
      expect(one).not.toBe(other);
    },
  ],
  [
    "rotation: signing in anew kills the browser's old session",
    async () => {
      const old = await session();
      const begun = await begin(old);
      const answer = await callback(begun.cookie, await approve(begun));
      expect(await isAlive(old)).toBe(false);
      expect(await isAlive(answer.cookies.join("; "))).toBe(true);
    },
  ],
  [
    "rotation: a refused sign-in leaves the old session alone",
    async () => {
      const old = await session();
      const begun = await begin(old);
      expectRefused(await callback(begun.cookie, "error=access_denied"));
      expect(await isAlive(old)).toBe(true);
    },
  ],
  [
    "logout: the cookie is dead at once",
    async () => {
      const cookie = await session();
      await world.clientWith(cookie).get("/auth/out");
      expect(await isAlive(cookie)).toBe(false);
      expect((await world.clientWith(cookie).get("/filtres/get")).status).toBe(401);
    },
  ],
  [
    "logout: it is told, so that the sockets of that session end",
    async () => {
      const cookie = await session();
      const before = world.events.filter(({ kind }) => kind === "session_ended").length;
      await world.clientWith(cookie).get("/auth/out");
      expect(world.events.filter(({ kind }) => kind === "session_ended").length).toBe(before + 1);
    },
  ],
  [
    "logout: another session of the same person lives on",
    async () => {
      const name = newName();
      const [one, other] = [await session(name), await session(name)];
      await world.clientWith(one).get("/auth/out");
      expect(await isAlive(other)).toBe(true);
    },
  ],
  [
    "logout: the browser is told to forget the cookie",
    async () => {
      const answer = await world.clientWith(await session()).get("/auth/out");
      expect(String(answer.headers["set-cookie"])).toMatch(
        /^__Host-sid=; Path=\/; Max-Age=0; Secure; HttpOnly/,
      );
    },
  ],
  [
    "limit: the sixth session ends the first",
    async () => {
      const name = newName();
      const cookies: string[] = [];
      for (let count = 0; count < 6; count += 1) {
        cookies.push(await session(name));
        await world.clock.advance(1_000);
      }
      const alive = await Promise.all(cookies.map(isAlive));
      expect(alive).toEqual([false, true, true, true, true, true]);
    },
  ],
  [
    "time: a day without a call ends it",
    async () => {
      const cookie = await session();
      await world.clock.advance(DAY_MS);
      expect(await isAlive(cookie)).toBe(false);
    },
  ],
  [
    "time: thirty days end it, however often it is used",
    async () => {
      const cookie = await session();
      for (let half = 0; half < 59; half += 1) {
        await world.clock.advance(DAY_MS / 2);
        expect(await isAlive(cookie)).toBe(true);
      }
      await world.clock.advance(DAY_MS / 2);
      expect(await isAlive(cookie)).toBe(false);
    },
  ],
  [
    "cookie: its attributes are those of a __Host- cookie, and Strict",
    async () => {
      const begun = await begin();
      const answer = await callback(begun.cookie, await approve(begun));
      const texts = [answer.headers["set-cookie"]].flat().map(String);
      expect(texts.find((text) => text.startsWith("__Host-sid"))).toMatch(
        /^__Host-sid=[\w-]{43}; Path=\/; Max-Age=2592000; Secure; HttpOnly; SameSite=Strict$/,
      );
      expect(texts.filter((text) => !text.startsWith("__Host-"))).toEqual([]);
    },
  ],
];

/** Cookie headers that identify no session. */
const FORGED: readonly (readonly [string, (live: string) => string])[] = [
  ["one byte changed", (live) => `${live.slice(0, -1)}${live.endsWith("A") ? "B" : "A"}`],
  ["cut by one", (live) => live.slice(0, -1)],
  ["one byte longer", (live) => `${live}A`],
  ["under another name", (live) => live.replace("__Host-sid", "sid")],
  ["in other letters", (live) => live.replace("__Host-sid", "__host-SID")],
  ["beside another of the same name", (live) => `${live}; __Host-sid=${"q".repeat(43)}`],
  ["in quotes", (live) => `__Host-sid="${valueOf(live)}"`],
  ["escaped", (live) => `__Host-sid=%${valueOf(live)}`],
  ["as SQL", () => "__Host-sid=' or 1=1 --"],
  ["as a path", () => "__Host-sid=../../../../etc/passwd"],
  ["in a header of nine kilobytes", (live) => `${live}; filler=${"x".repeat(9_000)}`],
];

const forged: readonly Case[] = FORGED.map(([name, forge]) => [
  `forged cookie: ${name}`,
  async () => expect(await isAlive(forge(await session()))).toBe(false),
]);

const cases = [...callbacks, ...redirects, ...sessions, ...forged];

test.each(cases)("%s", async (_name, run) => {
  caseCount += 1;
  await run();
});

test("there are at least sixty cases", () => {
  expect(cases.length).toBeGreaterThanOrEqual(60);
});

test("no unsolicited callback signs anybody in", async () => {
  const parameter = fc.constantFrom("code", "state", "error", "iss", "scope", "__proto__");
  const query = fc.array(fc.tuple(parameter, fc.string({ unit: "binary", maxLength: 60 })), { maxLength: 5 });
  const cookie = fc.oneof(
    fc.constant(""),
    fc.stringMatching(/^[\w-]{0,200}$/).map((value) => oauthCookie(value)),
  );
  const runs = sized(500, 10_000);
  await fc.assert(
    fc.asyncProperty(query, cookie, async (pairs, sent) => {
      const text = pairs
        .map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`)
        .join("&");
      const answer = await callback(sent, text);
      if (answer.status === 400) return;
      expectRefused(answer);
    }),
    { numRuns: runs },
  );
  figure("session and OAuth", `${runs} invented callbacks: 0 sessions, 0 of 5xx`);
});
