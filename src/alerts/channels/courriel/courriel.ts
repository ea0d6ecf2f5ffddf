/** Mail to the confirmed sign-in address: plain text, without remote content. */
import { Readable } from "node:stream";
import { createTransport } from "nodemailer";
import { z } from "zod";
import type { Channel, Outcome } from "../../channel.ts";

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS, except for a server on this machine. */
  readonly isSecure: boolean;
  readonly isLoopback: boolean;
  readonly user: string;
  readonly password: string;
}

const CONNECT_TIMEOUT_MS = 5_000;
const SILENCE_TIMEOUT_MS = 8_000;
/** For a connection to take the mail up, and again for the server's answer: together shorter than a lease. */
const DEADLINE_MS = 10_000;
const MAX_CONNECTIONS = 4;

/** @param server the mail server; null: not known yet */
export function createCourriel(
  server: () => Promise<MailServer | null>,
  from: string,
  deadlineMs = DEADLINE_MS,
): Channel {
  const connection = createConnection(server);
  return {
    async send(_address, { message, url, email }) {
      if (email === "") return { kind: "refused" };
      const text = `${message.body}\n\n${url}\n`;
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), deadlineMs);
      // Read once a connection takes the mail up: before, nothing was delivered.
      let isBegun = false;
      const reading = Readable.from(
        (function* () {
          isBegun = true;
          // What it waited for a connection is not taken from the time that the server has for it.
          timer.refresh();
          yield text;
        })(),
      );
      const mail = {
        from: { name: "Synapse", address: from },
        to: email,
        subject: `Synapse : ${message.title}`,
        text: reading,
        disableFileAccess: true,
        disableUrlAccess: true,
        // Takes the mail out of the pool's queue, or closes its connection.
        signal: deadline.signal,
      };
      try {
        const isKnown = await connection.use(async (transport) => {
          await transport.sendMail(mail);
        });
        return isKnown ? { kind: "sent" } : { kind: "wait", waitMs: null };
      } catch (error) {
        return outcomeOf(error, isBegun);
      } finally {
        clearTimeout(timer);
      }
    },
    async check() {
      try {
        return await connection.use(async (transport) => {
          await withDeadline(transport.verify());
        });
      } catch {
        return false;
      }
    },
    [Symbol.asyncDispose]: () => connection.close(),
  };
}

/** One pool, kept while its server answers: the server's address may change. */
function createConnection(server: () => Promise<MailServer | null>) {
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
      // `delivery.ts` retries, and bounds the attempts.
      maxRequeues: 0,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_TIMEOUT_MS,
    });
  };
  type Transport = NonNullable<Awaited<ReturnType<typeof make>>>;
  let opened: ReturnType<typeof make> | null = null;
  return {
    /** @returns false: the server is not known yet */
    async use(work: (transport: Transport) => Promise<void>): Promise<boolean> {
      const opening = (opened ??= make());
      let transport: Transport | null = null;
      try {
        transport = await opening;
        if (transport !== null) await work(transport);
      } catch (error) {
        if (transport === null || isConnectionLost(error)) {
          if (opened === opening) opened = null;
          transport?.close();
        }
        throw error;
      }
      if (transport === null && opened === opening) opened = null;
      return transport !== null;
    },
    async close(): Promise<void> {
      (await opened?.catch(() => null))?.close();
    },
  };
}

class NoAnswer extends Error {}

async function withDeadline<Value>(work: Promise<Value>): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new NoAnswer("no answer in time")), DEADLINE_MS);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const smtpFacts = z.object({
  responseCode: z.number().optional().catch(undefined),
  command: z.string().optional().catch(undefined),
  code: z.string().optional().catch(undefined),
  response: z.string().optional().catch(undefined),
});

/** An SMTP status comes from the server, and a mail that was given up says nothing about the others. */
function isConnectionLost(error: unknown): boolean {
  const { responseCode, code } = factsOf(error);
  return !(error instanceof NoAnswer) && code !== "EABORT" && responseCode === undefined;
}

function factsOf(error: unknown): z.output<typeof smtpFacts> {
  return smtpFacts.parse(error instanceof Error ? error : {});
}

const LOGIN_REQUIRED = 530;
/** The enhanced status codes of a mailbox that does not exist, or no longer (RFC 3463). */
const NO_MAILBOX = /^\d{3}[ -]5\.(?:1\.\d+|2\.1)\b/;

/** Only the recipient's refusal loses a mailbox: any other is about the sender, the login, the mail or the server. */
function outcomeOf(error: unknown, mayHaveLeft: boolean): Outcome {
  const { responseCode: status, command, response = "" } = factsOf(error);
  if (status === undefined) return mayHaveLeft ? { kind: "unknown" } : { kind: "wait", waitMs: null };
  if (status >= 500 && command === "RCPT TO" && status !== LOGIN_REQUIRED) return { kind: "gone" };
  // The answer to the whole mail: often about a missing signature or a block list.
  if (status >= 500 && command === "DATA")
    return NO_MAILBOX.test(response) ? { kind: "gone" } : { kind: "refused" };
  return { kind: "wait", waitMs: null };
}
