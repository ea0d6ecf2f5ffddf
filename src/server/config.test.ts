import { describe, expect, test } from "vitest";
import { readConfig } from "./config.ts";
import type { Environment, settings } from "./settings.ts";
import { StartRefused } from "./start-refused.ts";

const DISCORD = { DISCORD_CLIENT_ID: "42", DISCORD_CLIENT_SECRET: "s3cret" };
const OUTSIDE = { MARKETPLACE_URL: "https://market.example", ...DISCORD };

function refusal(env: Environment): string {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof StartRefused) return error.message;
    throw error;
  }
  return "started";
}

describe("without any setting", () => {
  const { config, secrets } = readConfig({});

  test("web, API and socket are at localhost:3000 and the sandbox beside them", () => {
    expect(config.listen).toEqual({ host: "127.0.0.1", port: 3000 });
    expect(config.publicUrl).toBe("http://localhost:3000");
    expect(config.sandbox).toEqual({
      host: "127.0.0.1",
      port: 3001,
      publicUrl: "http://localhost:3001",
      seed: 1,
      listingsPerSecond: 2,
      historyDays: 30,
    });
  });

  test("the sandbox is the marketplace and the sign-in, every service runs, no secret is needed", () => {
    expect(config.signIn).toEqual({ kind: "sandbox" });
    expect(config.marketplace).toEqual({
      isSandbox: true,
      url: "http://127.0.0.1:3001",
      publicUrl: "http://localhost:3001",
      requestsPerSecond: 20,
      sellerRequestsShare: 0.1,
      relistApartMs: 0,
      buyingRequestsPerSecond: null,
    });
    expect([...config.services]).toEqual(["web", "feed", "match", "buy", "sandbox"]);
    expect(config.reconcileMs).toBe(5_000);
    expect(Object.values(secrets)).toEqual([null, null, null, null, null, null]);
  });
});

test("an empty setting is an absent one", () => {
  expect(readConfig({ PORT: "", SERVICES: " ", DATABASE_URL: "" }).config.listen.port).toBe(3000);
});

test("PUBLIC_URL and the sandbox's port follow PORT", () => {
  const { config } = readConfig({ PORT: "4100" });
  expect(config.publicUrl).toBe("http://localhost:4100");
  expect(config.sandbox?.port).toBe(4101);
});

test("an outside marketplace starts no sandbox, reads once a second and waits two minutes for proof", () => {
  const { config, secrets } = readConfig(OUTSIDE);
  expect(config.sandbox).toBeNull();
  expect(config.services.has("sandbox")).toBe(false);
  expect(config.marketplace.requestsPerSecond).toBe(1);
  expect(config.marketplace.relistApartMs).toBe(30 * 60_000);
  expect(config.marketplace.buyingRequestsPerSecond).toBe(10);
  expect(config.reconcileMs).toBe(120_000);
  expect(secrets.discordClientSecret?.reveal()).toBe("s3cret");
});

test("a sandbox of another process counts as the sandbox, and browsers reach it there", () => {
  const { config } = readConfig({ SANDBOX_URL: "http://127.0.0.1:4001/", RATE_LIMITS: "off" });
  expect(config.sandbox).toBeNull();
  expect(config.marketplace.url).toBe("http://127.0.0.1:4001");
  expect(config.marketplace.publicUrl).toBe("http://127.0.0.1:4001");
  expect(config.marketplace.isSandbox).toBe(true);
  expect(config.reconcileMs).toBe(5_000);
  expect(config.areRateLimitsOn).toBe(false);
});

test("SERVICES=sandbox runs the sandbox alone", () => {
  const { config } = readConfig({ SERVICES: "sandbox", SANDBOX_PORT: "3000" });
  expect([...config.services]).toEqual(["sandbox"]);
  expect(config.sandbox?.port).toBe(3000);
});

test("a sandbox opened on every address is called on this machine's own", () => {
  expect(readConfig({ SANDBOX_HOST: "0.0.0.0" }).config.marketplace.url).toBe("http://127.0.0.1:3001");
  expect(readConfig({ SANDBOX_HOST: "::1" }).config.marketplace.url).toBe("http://[::1]:3001");
});

describe("the start is refused, in one line that names the setting, when", () => {
  const cases: readonly (readonly [string, Environment, RegExp])[] = [
    ["PORT is no number", { PORT: "http" }, /^PORT must be a whole number/],
    ["PORT is 0", { PORT: "0" }, /^PORT must be a whole number/],
    ["PORT is beyond the last", { PORT: "65536" }, /^PORT /],
    ["PORT leaves none for the sandbox", { PORT: "65535" }, /^SANDBOX_PORT must be set/],
    ["two parts share a port", { PORT: "4000", SANDBOX_PORT: "4000" }, /^PORT and SANDBOX_PORT must differ/],
    ["METRICS_PORT is taken", { METRICS_PORT: "3001" }, /^SANDBOX_PORT and METRICS_PORT must differ/],
    ["HOST is no host", { HOST: "not a host" }, /^HOST /],
    ["PUBLIC_URL is no address", { PUBLIC_URL: "localhost:3000" }, /^PUBLIC_URL must be an http/],
    ["PUBLIC_URL has a path", { PUBLIC_URL: "https://synapse.example/app", ...DISCORD }, /^PUBLIC_URL /],
    [
      "PUBLIC_URL is plain http and public",
      { PUBLIC_URL: "http://synapse.example", ...DISCORD },
      /^PUBLIC_URL must be https/,
    ],
    [
      "the sandbox's sign-in would be public",
      { PUBLIC_URL: "https://synapse.example" },
      /^PUBLIC_URL .*SANDBOX_PUBLIC=on/,
    ],
    [
      "an outside marketplace has no real sign-in",
      { MARKETPLACE_URL: "https://m.example" },
      /^MARKETPLACE_URL needs DISCORD/,
    ],
    [
      "an outside marketplace is plain http",
      { ...OUTSIDE, MARKETPLACE_URL: "http://m.example" },
      /^MARKETPLACE_URL must be https/,
    ],
    [
      "half of the real sign-in is missing",
      { DISCORD_CLIENT_ID: "42" },
      /^DISCORD_CLIENT_ID and DISCORD_CLIENT_SECRET/,
    ],
    [
      "two marketplaces are named",
      { ...OUTSIDE, SANDBOX_URL: "http://localhost:1" },
      /^MARKETPLACE_URL and SANDBOX_URL/,
    ],
    ["limits are off outside the sandbox", { ...OUTSIDE, RATE_LIMITS: "off" }, /^RATE_LIMITS=off/],
    ["RATE_LIMITS is neither on nor off", { RATE_LIMITS: "no" }, /^RATE_LIMITS must be on or off/],
    ["a service is unknown", { SERVICES: "web,mail" }, /^SERVICES does not know "mail"/],
    ["a service has no name", { SERVICES: "web," }, /^SERVICES does not know ""/],
    ["feed runs without match", { SERVICES: "feed,sandbox" }, /^SERVICES: feed and match/],
    ["no marketplace is left", { SERVICES: "web,buy" }, /^SERVICES leaves the sandbox out/],
    [
      "a sandbox is named twice",
      { SERVICES: "sandbox", SANDBOX_URL: "http://localhost:1" },
      /^SERVICES names the sandbox/,
    ],
    [
      "DATABASE_URL is not PostgreSQL",
      { DATABASE_URL: "mysql://u:canary@h/d" },
      /^DATABASE_URL must be an address/,
    ],
    ["nodes share no database", { REDIS_URL: "redis://h" }, /^REDIS_URL .* one DATABASE_URL, the same/],
    [
      "nodes share no keys",
      { REDIS_URL: "redis://h", DATABASE_URL: "postgres://u@h/d" },
      /^REDIS_URL .* one MASTER_KEYS, the same/,
    ],
    ["REDIS_URL is not Redis", { REDIS_URL: "http://h" }, /^REDIS_URL /],
    ["the budget is 0", { MARKETPLACE_REQUESTS_PER_SECOND: "0" }, /^MARKETPLACE_REQUESTS_PER_SECOND /],
    ["the seed is negative", { SANDBOX_SEED: "-1" }, /^SANDBOX_SEED /],
    ["the pace is no number", { SANDBOX_LISTINGS_PER_SECOND: "fast" }, /^SANDBOX_LISTINGS_PER_SECOND /],
    ["RECONCILE_SECONDS is 0", { RECONCILE_SECONDS: "0" }, /^RECONCILE_SECONDS /],
    ["TRUST_PROXY is a name", { TRUST_PROXY: "proxy.local" }, /^TRUST_PROXY must be addresses/],
    ["TRUST_PROXY is too wide a mask", { TRUST_PROXY: "10.0.0.0/33" }, /^TRUST_PROXY /],
    ["SUPPORT_EMAIL is none", { SUPPORT_EMAIL: "nobody" }, /^SUPPORT_EMAIL /],
    [
      "SMTP_URL holds a raw %",
      { SMTP_URL: "smtps://robot:100%canary@mail.example" },
      /^SMTP_URL must write % in its user and password as %25$/,
    ],
    ["LOG_LEVEL is unknown", { LOG_LEVEL: "loud" }, /^LOG_LEVEL /],
  ];

  test.each(cases)("%s", (_name, env, message) => {
    const line = refusal(env);
    expect(line).toMatch(message);
    expect(line).not.toContain("\n");
  });

  test("and a secret is never printed", () => {
    expect(refusal({ DATABASE_URL: "mysql://u:canary@h/d" })).not.toContain("canary");
  });
});

test("SANDBOX_PUBLIC=on lets the sandbox's sign-in serve an https address, never a plain one", () => {
  const env = { PUBLIC_URL: "https://demo.example", SANDBOX_PUBLIC: "on" };
  expect(readConfig(env).config.publicUrl).toBe("https://demo.example");
  expect(refusal({ ...env, PUBLIC_URL: "http://demo.example" })).toMatch(/^PUBLIC_URL must be https/);
});

test("TRUST_PROXY takes addresses and networks", () => {
  const { config } = readConfig({ TRUST_PROXY: "10.0.0.1, 192.168.0.0/16,::1/128" });
  expect(config.trustedProxies).toEqual(["10.0.0.1", "192.168.0.0/16", "::1/128"]);
});

describe("settings of the archive, usual prices, relists and look-ups of sellers", () => {
  const read = (env: Environment): unknown => {
    const { archive, minPriceDays, marketplace, sandbox } = readConfig(env).config;
    const { sellerRequestsShare: share, relistApartMs } = marketplace;
    return { ...archive, minPriceDays, share, relistApartMs, historyDays: sandbox?.historyDays ?? null };
  };
  const MB = 1024 * 1024;
  const DEFAULTS = {
    days: 30,
    maxBytes: 512 * MB,
    minPriceDays: 7,
    share: 0.1,
    relistApartMs: 0,
    historyDays: 30,
  };

  test("have the documented defaults", () => {
    expect(read({})).toEqual(DEFAULTS);
    expect(read(OUTSIDE)).toEqual({ ...DEFAULTS, relistApartMs: 30 * 60_000, historyDays: null });
  });

  test.each<readonly [Environment, object]>([
    [{ ARCHIVE_DAYS: "1" }, { days: 1 }],
    [{ ARCHIVE_DAYS: "90" }, { days: 90 }],
    [{ ARCHIVE_MAX_MB: "16" }, { maxBytes: 16 * MB }],
    [{ ARCHIVE_MAX_MB: "65536" }, { maxBytes: 65_536 * MB }],
    [{ PRICE_BUY_MIN_DAYS: "0" }, { minPriceDays: 0 }],
    [{ PRICE_BUY_MIN_DAYS: "30" }, { minPriceDays: 30 }],
    [{ SELLER_REQUESTS_SHARE: "0" }, { share: 0 }],
    [{ SELLER_REQUESTS_SHARE: "0.5" }, { share: 0.5 }],
    [{ REPUBLICATION_MINUTES: "0" }, { relistApartMs: 0 }],
    [{ REPUBLICATION_MINUTES: "43200" }, { relistApartMs: 43_200 * 60_000 }],
    [{ SANDBOX_HISTORY_DAYS: "0" }, { historyDays: 0 }],
    [{ SANDBOX_HISTORY_DAYS: "12" }, { historyDays: 12 }],
    [{ SANDBOX_LISTINGS_PER_SECOND: "0" }, { historyDays: 0 }],
    [{ SANDBOX_LISTINGS_PER_SECOND: "0", SANDBOX_HISTORY_DAYS: "30" }, { historyDays: 0 }],
  ])("%j is read as %j", (env, values) => {
    expect(read(env)).toEqual({ ...DEFAULTS, ...values });
  });

  test("take 0 minutes and 7 days outside the sandbox too", () => {
    expect(read({ ...OUTSIDE, REPUBLICATION_MINUTES: "0" })).toMatchObject({ relistApartMs: 0 });
    expect(read({ ...OUTSIDE, PRICE_BUY_MIN_DAYS: "7" })).toMatchObject({ minPriceDays: 7 });
  });

  test.each<readonly [keyof typeof settings.shape, readonly string[], string]>([
    ["ARCHIVE_DAYS", ["0", "91", "7.5", "-1"], "must be a whole number from 1 to 90"],
    ["ARCHIVE_MAX_MB", ["15", "65537"], "must be a whole number from 16 to 65536"],
    ["PRICE_BUY_MIN_DAYS", ["31", "-1"], "must be a whole number from 0 to 30"],
    ["SELLER_REQUESTS_SHARE", ["0.51", "1", "-0.1"], "must be a number from 0 to 0.5"],
    ["REPUBLICATION_MINUTES", ["43201", "0.5"], "must be a whole number from 0 to 43200"],
    ["SANDBOX_HISTORY_DAYS", ["31", "-1"], "must be a whole number from 0 to 30"],
  ])("%s refuses %j", (name, values, message) => {
    for (const value of values)
      expect(refusal({ [name]: value })).toBe(`${name} ${message} (it is "${value}")`);
  });

  test("refuse more days of prices than the archive keeps, unless they are the default", () => {
    expect(refusal({ ARCHIVE_DAYS: "9", PRICE_BUY_MIN_DAYS: "10" })).toMatch(
      /^PRICE_BUY_MIN_DAYS \(10\) must not exceed ARCHIVE_DAYS \(9\)/,
    );
    expect(refusal({ ARCHIVE_DAYS: "10", PRICE_BUY_MIN_DAYS: "10" })).toBe("started");
    expect(refusal({ ARCHIVE_DAYS: "6" })).toBe("started");
  });

  test("let a filter buy by the prices of fewer than seven days in the sandbox only", () => {
    expect(refusal({ PRICE_BUY_MIN_DAYS: "6" })).toBe("started");
    expect(refusal({ ...OUTSIDE, PRICE_BUY_MIN_DAYS: "6" })).toMatch(
      /^PRICE_BUY_MIN_DAYS below 7 is for the sandbox only/,
    );
  });
});
