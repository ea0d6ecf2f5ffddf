/** Composes the alerts: the real services where they are set, else the sandbox's receivers. */
import { request } from "undici";
import { z } from "zod";
import { type Alerts, createAlerts } from "#alerts/alerts.ts";
import type { SandboxServices } from "#alerts/channels.ts";
import type { MailServer } from "#alerts/channels/courriel/courriel.ts";
import { createLeadership } from "#cluster/leadership.ts";
import { isLoopbackHost, ownOrigins } from "#domain/network.ts";
import type { Service } from "#domain/service.ts";
import type { Feed } from "#feed/feed.ts";
import { clickRefusal } from "#http/routes/purchase.ts";
import type { Purchasing } from "#purchasing/purchasing.ts";
import { isStoreAway } from "#store/errors.ts";
import type { Config, Secrets } from "./config.ts";
import type { Foundation } from "./foundation.ts";

const TELEGRAM_URL = "https://api.telegram.org";

export async function buildAlerts(
  foundation: Foundation,
  { purchasing, feed }: { readonly purchasing: Purchasing; readonly feed: Feed },
): Promise<Alerts> {
  const { config, secrets, cluster, store, owner, clock, log } = foundation;
  const sandbox = sandboxOf(config);
  return await createAlerts({
    ...foundation,
    purchasing,
    onBatch: (listener) => feed.onBatch(listener),
    lead: (role, task) =>
      cluster === null
        ? alone(task)
        : createLeadership({ nodes: store.nodes, role, id: owner, clock, log, lead: task }),
    isStoreAway,
    isSoleNode: secrets.databaseUrl === null,
    nodeCount: cluster === null ? undefined : async () => (await store.nodes.others(owner)).size + 1,
    refusalText: (outcome) => clickRefusal(outcome).text,
    options: {
      publicUrl: config.publicUrl,
      marketUrl: config.marketplace.publicUrl,
      supportEmail: config.supportEmail,
      sandbox,
      discordUrl: foundation.discordUrl,
      telegram: telegramOf(secrets, sandbox),
      mail: mailOf(config, secrets, sandbox),
      hourMs: config.alerts.hourMs,
    },
  });
}

function sandboxOf({ marketplace }: Config): SandboxServices | null {
  if (!marketplace.isSandbox) return null;
  const { url, publicUrl } = marketplace;
  return { url, publicUrl, origins: [...new Set([...ownOrigins(url), ...ownOrigins(publicUrl)])] };
}

function telegramOf({ telegramBotToken: token }: Secrets, sandbox: SandboxServices | null) {
  if (token !== null) return { origin: TELEGRAM_URL, token: token.reveal(), isSandbox: false };
  return sandbox === null ? null : { origin: `${sandbox.url}/telegram`, token: "sandbox", isSandbox: true };
}

function mailOf(config: Config, { smtpUrl }: Secrets, sandbox: SandboxServices | null) {
  const from = config.alerts.mailFrom;
  if (smtpUrl !== null) {
    const server = mailServerOf(new URL(smtpUrl.reveal()));
    return { from, server: async () => server };
  }
  return sandbox === null ? null : { from, server: () => sandboxMailServer(sandbox.url) };
}

const SMTPS_PORT = 465;
const SUBMISSION_PORT = 587;

function mailServerOf({ protocol, hostname, port, username, password }: URL): MailServer {
  const isSecure = protocol === "smtps:";
  return {
    // Of an IPv6 address without its brackets, which only an URL has.
    host: hostname.replaceAll(/^\[|\]$/g, ""),
    port: port === "" ? (isSecure ? SMTPS_PORT : SUBMISSION_PORT) : Number(port),
    isSecure,
    isLoopback: isLoopbackHost(hostname),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}

const MAIL_PATIENCE_MS = 2_000;
const sandboxAnswer = z.object({ port: z.int() });

/** The sandbox's mail server has a free port, which it reports. */
async function sandboxMailServer(url: string): Promise<MailServer | null> {
  try {
    const { body } = await request(`${url}/smtp`, { signal: AbortSignal.timeout(MAIL_PATIENCE_MS) });
    const { port } = sandboxAnswer.parse(await body.json());
    const { hostname: host } = new URL(url);
    return { host, port, isSecure: false, isLoopback: true, user: "", password: "" };
  } catch {
    return null;
  }
}

/** Wraps a task for a sole node, which needs no leadership. */
function alone(task: () => Promise<() => Promise<void>>): Service {
  let end: (() => Promise<void>) | null = null;
  return {
    async run() {
      end ??= await task();
    },
    async stop() {
      await end?.();
      end = null;
    },
  };
}
