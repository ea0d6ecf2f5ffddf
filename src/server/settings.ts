import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { parseEnv } from "node:util";
import { z } from "zod";
import { isLoopbackHost } from "#domain/network.ts";
import { StartRefused } from "./start-refused.ts";

export const SERVICE_NAMES = ["web", "feed", "match", "buy", "sandbox"] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const text = z.string().min(1, "must not be empty").max(4_096, "is too long");
const onOff = z.enum(["on", "off"], { error: "must be on or off" }).transform((word) => word === "on");

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d+$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be a whole number from ${least} to ${most}`);

const decimal = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d+(\.\d+)?$/, `must be a number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be a number from ${least} to ${most}`);

const port = wholeNumber(1, 65_535);

const host = z
  .string()
  .refine(
    (name) => isIP(name) !== 0 || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(name),
    "must be a host name or address",
  );

/** A URL of which only scheme, host and port are used. */
const origin = z.string().transform((address, context) => {
  const url = URL.parse(address);
  const isPlain =
    url !== null &&
    (url.protocol === "http:" || url.protocol === "https:") &&
    url.pathname === "/" &&
    `${url.search}${url.hash}${url.username}${url.password}` === "";
  if (isPlain) return url.origin;
  context.addIssue("must be an http or https address without a path, such as https://example.org");
  return z.NEVER;
});

const safeOrigin = origin.refine(
  (address) => address.startsWith("https:") || isLoopbackHost(new URL(address).hostname),
  "must be https, or an address of this machine",
);

const connectionString = (...schemes: readonly string[]) =>
  text.refine(
    (address) => schemes.includes(URL.parse(address)?.protocol ?? ""),
    `must be an address that begins with ${schemes.map((scheme) => `${scheme}//`).join(" or ")}`,
  );

const email = z.email({ error: "must be an e-mail address" });

/** smtps: TLS from the first byte. smtp: STARTTLS, unless the server is this machine. */
const mailServer = text
  .refine((address) => {
    const url = URL.parse(address);
    return url !== null && (url.protocol === "smtps:" || url.protocol === "smtp:") && url.hostname !== "";
  }, "must be an address that begins with smtps:// or smtp://")
  .refine((address) => {
    const { username = "", password = "" } = URL.parse(address) ?? {};
    return isDecodable(username) && isDecodable(password);
  }, "must write % in its user and password as %25");

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

const list = <Item>(item: z.ZodType<Item, string>) =>
  z
    .string()
    .transform((line) => line.split(",").map((part) => part.trim()))
    .pipe(z.array(item));

const proxy = z.string().refine((address) => {
  const [ip = "", bits, ...rest] = address.split("/");
  const most = isIP(ip) === 4 ? 32 : 128;
  const areBitsRight = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  return isIP(ip) !== 0 && areBitsRight && rest.length === 0;
}, "must be addresses or networks such as 10.0.0.1 or 10.0.0.0/8, separated by commas");

const serviceName = z.enum(SERVICE_NAMES, {
  error: ({ input }) => `does not know ${JSON.stringify(input)}; it takes ${SERVICE_NAMES.join(", ")}`,
});

/** A setting with a default for an absent or empty value. */
const setting = <Value>(description: string, schema: z.ZodType<Value, string>, fallback: string) =>
  schema.prefault(fallback).describe(description);

/** A setting without a default: null if absent. */
const choice = <Value>(description: string, schema: z.ZodType<Value, string>) =>
  schema.nullable().prefault(null).describe(description);

/**
 * Every setting of the product, with its purpose, valid values and default. Defaults that depend on other settings are in
 * config.ts.
 */
export const settings = z.object({
  PORT: setting("where web, API and socket listen", port, "3000"),
  HOST: setting("the address that PORT is opened on", host, "127.0.0.1"),
  PUBLIC_URL: choice("the address people use: sign-in redirects and origin checks", origin),
  DATA_DIR: setting("the embedded store, the keys and the operator's socket", text, "./data"),
  DATABASE_URL: choice(
    "PostgreSQL instead of the embedded store",
    connectionString("postgres:", "postgresql:"),
  ),
  REDIS_URL: choice("what several nodes share beside PostgreSQL", connectionString("redis:", "rediss:")),
  SERVICES: choice("which parts this node runs", list(serviceName)),
  DISCORD_CLIENT_ID: choice("the real sign-in; without it the sandbox's", text),
  DISCORD_CLIENT_SECRET: choice("the real sign-in's secret", text),
  MARKETPLACE_URL: choice("an outside marketplace; without it the sandbox's", safeOrigin),
  MARKETPLACE_REQUESTS_PER_SECOND: choice(
    "the whole product's budget of reads towards the marketplace",
    decimal(0.01, 1_000),
  ),
  SELLER_REQUESTS_SHARE: setting(
    "the share of MARKETPLACE_REQUESTS_PER_SECOND that may ask about sellers, within its total; 0: none is asked about",
    decimal(0, 0.5),
    "0.1",
  ),
  REPUBLICATION_MINUTES: choice(
    "an article listed again within this time was posted together with the first and is no relist",
    wholeNumber(0, 43_200),
  ),
  SANDBOX_PORT: choice("where the sandbox listens", port),
  SANDBOX_URL: choice("a sandbox that another process runs", origin),
  SANDBOX_SEED: setting("the sandbox's world", wholeNumber(0, 4_294_967_295), "1"),
  SANDBOX_LISTINGS_PER_SECOND: setting(
    "the sandbox's pace; 0: only what is published by hand",
    decimal(0, 10_000),
    "2",
  ),
  SANDBOX_PUBLIC_URL: choice("where browsers reach the sandbox", origin),
  SANDBOX_HOST: setting("the address that SANDBOX_PORT is opened on", host, "127.0.0.1"),
  SANDBOX_PUBLIC: setting("lets the sandbox's sign-in serve a public address", onOff, "off"),
  MASTER_KEYS: choice("key-encryption keys, newest first", text),
  RECONCILE_SECONDS: choice(
    "longest time to effect and read lag that negative proof waits for",
    decimal(1, 86_400),
  ),
  TRUST_PROXY: choice("proxies whose forwarded address is believed", list(proxy)),
  METRICS_PORT: choice("Prometheus metrics", port),
  METRICS_HOST: setting("the address that METRICS_PORT is opened on", host, "127.0.0.1"),
  SUPPORT_EMAIL: setting("shown on the landing page", email, "support@synapse.example"),
  TELEGRAM_BOT_TOKEN: choice("the bot that sends alerts to Telegram; without it the sandbox's", text),
  SMTP_URL: choice("where alerts by mail are handed in; without it the sandbox", mailServer),
  SMTP_FROM: choice("the sender of mail; without it SUPPORT_EMAIL", email),
  ALERTS_HOUR_SECONDS: setting(
    "how long an hour of alerts lasts, in the sandbox",
    wholeNumber(10, 3_600),
    "3600",
  ),
  LOG_LEVEL: setting(
    "how much is logged",
    z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(", ")}` }),
    "info",
  ),
  ARCHIVE_DAYS: setting("how many days of the market's facts are kept", wholeNumber(1, 90), "30"),
  ARCHIVE_MAX_MB: setting("how much of them is kept, in MB", wholeNumber(16, 65_536), "512"),
  PRICE_BUY_MIN_DAYS: choice(
    "on how many days similar listings must have been seen before a filter buys by their price",
    wholeNumber(0, 30),
  ),
  SANDBOX_HISTORY_DAYS: choice(
    "days of made-up listings before the sandbox's first start",
    wholeNumber(0, 30),
  ),
  RATE_LIMITS: setting("off lifts the limits per person and address", onOff, "on"),
});

/** Settings whose value an error message must not repeat. */
const SECRET_SETTINGS: ReadonlySet<PropertyKey> = new Set([
  "DATABASE_URL",
  "REDIS_URL",
  "DISCORD_CLIENT_SECRET",
  "MASTER_KEYS",
  "TELEGRAM_BOT_TOKEN",
  "SMTP_URL",
] satisfies (keyof typeof settings.shape)[]);

export type Environment = Readonly<Record<string, string | undefined>>;
export type SettingValues = z.output<typeof settings>;

/**
 * Reads and validates each setting: its value, its default, or null. An empty value counts as absent.
 * @throws StartRefused naming the first invalid setting and its valid values
 */
export function readEnv(env: Environment): SettingValues {
  const written = Object.fromEntries(
    Object.keys(settings.shape).flatMap((name) => {
      const text = env[name]?.trim() ?? "";
      return text === "" ? [] : [[name, text]];
    }),
  );
  const result = settings.safeParse(written);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const name = issue?.path[0] ?? "a setting";
  throw new StartRefused(`${String(name)} ${issue?.message ?? "is wrong"}${shown(name, written)}`);
}

function shown(name: PropertyKey, written: Readonly<Record<PropertyKey, string>>): string {
  const text = written[name];
  return text === undefined || SECRET_SETTINGS.has(name)
    ? ""
    : ` (it is ${JSON.stringify(text.slice(0, 80))})`;
}

/** Variables that Node, npm, OpenSSL, the C library or the project's tools read. */
const OTHERS =
  /^(NODE_.*|npm_.*|(https?|no|all)_proxy|SSL_.*|TZ|LANG|LC_.*|TEST_.*|BENCH_.*|SECURITY_.*|CHROMIUM_PATH|TMPDIR)$/i;

/** One line per unknown name in the file: usually a typing error, which would leave the default in effect. */
export function unknownSettings(envFile: string): readonly string[] {
  if (!existsSync(envFile)) return [];
  const names = Object.keys(parseEnv(readFileSync(envFile, "utf8")));
  return names
    .filter((name) => !Object.hasOwn(settings.shape, name) && !OTHERS.test(name))
    .toSorted()
    .map((name) => `.env gives ${name.slice(0, 80)}, which is no setting: it changes nothing`);
}
