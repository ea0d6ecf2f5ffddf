/** Mail to the confirmed sign-in address: plain text, without anything to load. */
import { createTransport } from "nodemailer";
import { z } from "zod";
import type { Channel, Outcome } from "../../channel.ts";
import { wasNeverSent } from "../../post.ts";

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; else STARTTLS, unless the server is this machine. */
  readonly isSecure: boolean;
  readonly isLoopback: boolean;
  readonly user: string;
  readonly password: string;
}

const CONNECT_TIMEOUT_MS = 5_000;
const SILENCE_TIMEOUT_MS = 8_000;
const DEADLINE_MS = 10_000;
const MAX_CONNECTIONS = 4;

/** @param server where mail is handed in; null: not known yet */
export function createCourriel(server: () => Promise<MailServer | null>, from: string): Channel {
  const open = openOnce(server);
  return {
    async send(_address, { message, url, email }) {
      if (email === "") return { kind: "refused" };
      const mail = {
        from: { name: "Synapse", address: from },
        to: email,
        subject: `Synapse : ${message.title}`,
        text: `${message.body}\n\n${url}\n`,
        disableFileAccess: true,
        disableUrlAccess: true,
      };
      try {
        const transport = await open();
        if (transport === null) return { kind: "wait", waitMs: null };
        await withDeadline(transport.sendMail(mail));
        return { kind: "sent" };
      } catch (error) {
        return outcomeOf(error);
      }
    },
    async check() {
      try {
        const transport = await open();
        return transport !== null && (await withDeadline(transport.verify()));
      } catch {
        return false;
      }
    },
    async [Symbol.asyncDispose]() {
      (await open())?.close();
    },
  };
}

function openOnce(server: () => Promise<MailServer | null>) {
  const make = async () => {
    const found = await server();
    if (found === null) return null;
    const { host, port, isSecure, isLoopback, user, password } = found;
    return createTransport({
      host,
      port,
      secure: isSecure,
      requireTLS: !isSecure && !isLoopback,
      ignoreTLS: isLoopback && !isSecure,
      ...(user === "" ? {} : { auth: { user, pass: password } }),
      pool: true,
      maxConnections: MAX_CONNECTIONS,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_TIMEOUT_MS,
    });
  };
  let opened: ReturnType<typeof make> | null = null;
  return async () => {
    opened ??= make();
    const transport = await opened;
    // Asked again with the next mail.
    if (transport === null) opened = null;
    return transport;
  };
}

/** A message in flight cannot be recalled: after this time its outcome counts as unknown. */
async function withDeadline<Value>(work: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("no answer in time")), DEADLINE_MS);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const smtpFacts = z.object({
  responseCode: z.number().optional().catch(undefined),
  code: z.string().optional().catch(undefined),
  command: z.string().optional().catch(undefined),
});

function outcomeOf(error: unknown): Outcome {
  const { responseCode: status, code, command } = smtpFacts.parse(error instanceof Error ? error : {});
  if (status !== undefined) {
    if (status >= 500 && status < 600 && code === "EENVELOPE") return { kind: "gone" };
    // The whole mail was refused, or the password: not the address's fault.
    if (status >= 500) return code === "EAUTH" ? { kind: "wait", waitMs: null } : { kind: "gone" };
    return { kind: "wait", waitMs: null };
  }
  if (code === "EAUTH" || command === "CONN" || wasNeverSent(error)) return { kind: "wait", waitMs: null };
  return { kind: "unknown" };
}
