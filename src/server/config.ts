import { resolve } from "node:path";
import { isLoopbackHost } from "#domain/network.ts";
import { Secret } from "#domain/secret.ts";
import {
  type Environment,
  type LogLevel,
  readEnv,
  SERVICE_NAMES,
  type ServiceName,
  type SettingValues,
} from "./settings.ts";
import { StartRefused } from "./start-refused.ts";

/** The validated configuration; secrets are separate. */
export interface Config {
  readonly listen: { readonly host: string; readonly port: number };
  /** The public scheme, host and port. */
  readonly publicUrl: string;
  /** Absolute. */
  readonly dataDir: string;
  readonly services: ReadonlySet<ServiceName>;
  readonly signIn: { readonly kind: "discord"; readonly clientId: string } | { readonly kind: "sandbox" };
  readonly marketplace: MarketplaceConfig;
  /** The sandbox of this process; null: none. */
  readonly sandbox: SandboxConfig | null;
  readonly reconcileMs: number;
  readonly trustedProxies: readonly string[];
  /** Null: no metrics. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
  readonly supportEmail: string;
  readonly logLevel: LogLevel;
  readonly areRateLimitsOn: boolean;
  readonly alerts: {
    readonly mailFrom: string;
    readonly hourMs: number;
  };
  readonly archive: { readonly days: number; readonly maxBytes: number };
  /** Days on which similar listings must have been seen before a usual price is trusted. */
  readonly minPriceDays: number;
}

interface MarketplaceConfig {
  readonly isSandbox: boolean;
  /** Its address for this process. */
  readonly url: string;
  /** Its address for browsers. */
  readonly publicUrl: string;
  /** The reading lane's budget. */
  readonly requestsPerSecond: number;
  /** The share of it that may be used for look-ups of sellers; 0: none. */
  readonly sellerRequestsShare: number;
  /** Minimum time between the first sightings of two listings of an article for the second to be a relist. */
  readonly relistApartMs: number;
  /** The buying lane's budget; null: unlimited. */
  readonly buyingRequestsPerSecond: number | null;
}

export interface SandboxConfig {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string;
  readonly seed: number;
  readonly listingsPerSecond: number;
  /** Days of generated history before its first start. */
  readonly historyDays: number;
}

export interface Secrets {
  readonly databaseUrl: Secret | null;
  readonly redisUrl: Secret | null;
  readonly discordClientSecret: Secret | null;
  readonly masterKeys: Secret | null;
  readonly telegramBotToken: Secret | null;
  /** With its user and password. */
  readonly smtpUrl: Secret | null;
}

const BUYING_REQUESTS_PER_SECOND = 10;
const MAX_PORT = 65_535;
const HOUR_S = 3_600;
/** Of usual prices outside of the sandbox, and by default. */
const LEAST_PRICE_DAYS = 7;

/** @throws StartRefused for a wrong setting or settings that contradict one another */
export function readConfig(env: Environment): { readonly config: Config; readonly secrets: Secrets } {
  const values = readEnv(env);
  refuseContradictions(values);
  const sandboxPort = values.SANDBOX_PORT ?? values.PORT + 1;
  const publicUrl = values.PUBLIC_URL ?? `http://localhost:${values.PORT}`;
  const sandboxPublicUrl =
    values.SANDBOX_PUBLIC_URL ?? values.SANDBOX_URL ?? `http://localhost:${sandboxPort}`;
  const services = chooseServices(values);
  const config: Config = {
    listen: { host: values.HOST, port: values.PORT },
    publicUrl,
    dataDir: resolve(values.DATA_DIR),
    services,
    signIn:
      values.DISCORD_CLIENT_ID === null
        ? { kind: "sandbox" }
        : { kind: "discord", clientId: values.DISCORD_CLIENT_ID },
    marketplace: chooseMarketplace(values, { port: sandboxPort, publicUrl: sandboxPublicUrl }),
    sandbox: services.has("sandbox")
      ? {
          host: values.SANDBOX_HOST,
          port: sandboxPort,
          publicUrl: sandboxPublicUrl,
          seed: values.SANDBOX_SEED,
          listingsPerSecond: values.SANDBOX_LISTINGS_PER_SECOND,
          historyDays: values.SANDBOX_LISTINGS_PER_SECOND === 0 ? 0 : (values.SANDBOX_HISTORY_DAYS ?? 30),
        }
      : null,
    reconcileMs: (values.RECONCILE_SECONDS ?? (values.MARKETPLACE_URL === null ? 5 : 120)) * 1_000,
    trustedProxies: values.TRUST_PROXY ?? [],
    metrics: values.METRICS_PORT === null ? null : { host: values.METRICS_HOST, port: values.METRICS_PORT },
    supportEmail: values.SUPPORT_EMAIL,
    logLevel: values.LOG_LEVEL,
    areRateLimitsOn: values.RATE_LIMITS,
    alerts: {
      mailFrom: values.SMTP_FROM ?? values.SUPPORT_EMAIL,
      hourMs: values.ALERTS_HOUR_SECONDS * 1_000,
    },
    archive: { days: values.ARCHIVE_DAYS, maxBytes: values.ARCHIVE_MAX_MB * 1024 * 1024 },
    minPriceDays: values.PRICE_BUY_MIN_DAYS ?? LEAST_PRICE_DAYS,
  };
  refusePublicExposure(config, values.SANDBOX_PUBLIC);
  refuseSharedPorts(config);
  return { config, secrets: readSecrets(values) };
}

function readSecrets(values: SettingValues): Secrets {
  const secretOf = (value: string | null): Secret | null => (value === null ? null : new Secret(value));
  return {
    databaseUrl: secretOf(values.DATABASE_URL),
    redisUrl: secretOf(values.REDIS_URL),
    discordClientSecret: secretOf(values.DISCORD_CLIENT_SECRET),
    masterKeys: secretOf(values.MASTER_KEYS),
    telegramBotToken: secretOf(values.TELEGRAM_BOT_TOKEN),
    smtpUrl: secretOf(values.SMTP_URL),
  };
}

/** All parts unless SERVICES names some; the sandbox only if it is the marketplace in use and runs nowhere else. */
function chooseServices(values: SettingValues): ReadonlySet<ServiceName> {
  const isElsewhere = values.SANDBOX_URL !== null || values.MARKETPLACE_URL !== null;
  if (values.SERVICES !== null) return new Set(values.SERVICES);
  return new Set(SERVICE_NAMES.filter((name) => name !== "sandbox" || !isElsewhere));
}

function chooseMarketplace(
  values: SettingValues,
  sandbox: { readonly port: number; readonly publicUrl: string },
): MarketplaceConfig {
  const outside = values.MARKETPLACE_URL;
  const isSandbox = outside === null;
  return {
    isSandbox,
    url: outside ?? values.SANDBOX_URL ?? sandboxAddress(values.SANDBOX_HOST, sandbox.port),
    publicUrl: outside ?? sandbox.publicUrl,
    requestsPerSecond: values.MARKETPLACE_REQUESTS_PER_SECOND ?? (isSandbox ? 20 : 1),
    sellerRequestsShare: values.SELLER_REQUESTS_SHARE,
    relistApartMs: (values.REPUBLICATION_MINUTES ?? (isSandbox ? 0 : 30)) * 60_000,
    buyingRequestsPerSecond: isSandbox ? null : BUYING_REQUESTS_PER_SECOND,
  };
}

/** A sandbox that listens on all addresses is called by the loopback address. */
function sandboxAddress(host: string, port: number): string {
  if (host === "0.0.0.0") return `http://127.0.0.1:${port}`;
  if (host === "::") return `http://[::1]:${port}`;
  return host.includes(":") ? `http://[${host}]:${port}` : `http://${host}:${port}`;
}

function refuseContradictions(values: SettingValues): void {
  const services = values.SERVICES === null ? null : new Set(values.SERVICES);
  const hasDiscordId = values.DISCORD_CLIENT_ID !== null;
  if (hasDiscordId !== (values.DISCORD_CLIENT_SECRET !== null))
    throw new StartRefused(
      "DISCORD_CLIENT_ID and DISCORD_CLIENT_SECRET belong together: set both or neither",
    );
  if (values.MARKETPLACE_URL !== null && !hasDiscordId)
    throw new StartRefused(
      "MARKETPLACE_URL needs DISCORD_CLIENT_ID and DISCORD_CLIENT_SECRET: with the sandbox's sign-in anyone could enter and spend",
    );
  if (values.MARKETPLACE_URL !== null && values.SANDBOX_URL !== null)
    throw new StartRefused(
      "MARKETPLACE_URL and SANDBOX_URL exclude each other: the product uses one marketplace",
    );
  if (values.MARKETPLACE_URL !== null && !values.RATE_LIMITS)
    throw new StartRefused("RATE_LIMITS=off is for the sandbox only: remove it or MARKETPLACE_URL");
  if (values.MARKETPLACE_URL !== null && values.ALERTS_HOUR_SECONDS !== HOUR_S)
    throw new StartRefused("ALERTS_HOUR_SECONDS is for the sandbox only: remove it or MARKETPLACE_URL");
  const { PRICE_BUY_MIN_DAYS: priceDays, ARCHIVE_DAYS: archiveDays } = values;
  if (priceDays !== null && priceDays > archiveDays)
    throw new StartRefused(
      `PRICE_BUY_MIN_DAYS (${priceDays}) must not exceed ARCHIVE_DAYS (${archiveDays}): no filter could buy by a usual price`,
    );
  if (values.MARKETPLACE_URL !== null && priceDays !== null && priceDays < LEAST_PRICE_DAYS)
    throw new StartRefused(
      `PRICE_BUY_MIN_DAYS below ${LEAST_PRICE_DAYS} is for the sandbox only: a usual price of few days buys at chance`,
    );
  if (values.SANDBOX_PORT === null && values.PORT === MAX_PORT)
    throw new StartRefused(`SANDBOX_PORT must be set when PORT is ${MAX_PORT}: there is no port after it`);
  if (services !== null) refuseServices(values, services);
  refuseLonelyRedis(values);
}

/** Several nodes must share the database and the keys. */
function refuseLonelyRedis(values: SettingValues): void {
  if (values.REDIS_URL === null) return;
  const missing = values.DATABASE_URL === null ? "DATABASE_URL" : "MASTER_KEYS";
  if (values.DATABASE_URL === null || values.MASTER_KEYS === null)
    throw new StartRefused(`REDIS_URL joins several nodes: they also need one ${missing}, the same for each`);
}

function refuseServices(values: SettingValues, services: ReadonlySet<ServiceName>): void {
  const outside = values.MARKETPLACE_URL === null ? null : "MARKETPLACE_URL";
  const elsewhere = values.SANDBOX_URL === null ? outside : "SANDBOX_URL";
  if (services.has("sandbox") && elsewhere !== null)
    throw new StartRefused(
      `SERVICES names the sandbox, but ${elsewhere} says that the marketplace is elsewhere`,
    );
  if (!services.has("sandbox") && elsewhere === null)
    throw new StartRefused(
      "SERVICES leaves the sandbox out: SANDBOX_URL or MARKETPLACE_URL must say where the marketplace is",
    );
  if (services.has("feed") !== services.has("match") && values.REDIS_URL === null)
    throw new StartRefused(
      "SERVICES: feed and match run together, name both or neither, unless REDIS_URL joins nodes",
    );
}

function refusePublicExposure(config: Config, isSandboxPublic: boolean): void {
  const url = new URL(config.publicUrl);
  if (isLoopbackHost(url.hostname)) return;
  if (url.protocol === "http:")
    throw new StartRefused(`PUBLIC_URL must be https unless it is this machine (it is ${config.publicUrl})`);
  if (config.signIn.kind === "sandbox" && !isSandboxPublic)
    throw new StartRefused(
      `PUBLIC_URL ${config.publicUrl} would be open to the sandbox's sign-in, where anyone is anybody: set DISCORD_CLIENT_ID and DISCORD_CLIENT_SECRET, or SANDBOX_PUBLIC=on to allow it`,
    );
}

function refuseSharedPorts(config: Config): void {
  const taken = new Map<number, string>();
  const isPortOpened = config.services.size > 1 || !config.services.has("sandbox");
  const ports: readonly (readonly [string, number | null])[] = [
    ["PORT", isPortOpened ? config.listen.port : null],
    ["SANDBOX_PORT", config.sandbox?.port ?? null],
    ["METRICS_PORT", config.metrics?.port ?? null],
  ];
  for (const [name, number] of ports) {
    if (number === null) continue;
    const other = taken.get(number);
    if (other !== undefined) throw new StartRefused(`${other} and ${name} must differ (both are ${number})`);
    taken.set(number, name);
  }
}
