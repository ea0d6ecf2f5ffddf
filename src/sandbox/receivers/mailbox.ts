/** An SMTP server that stores received mail, on a free local port; started on first use. */
import PostalMime from "postal-mime";
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from "smtp-server";
import type { Fault, Receptions } from "./receptions.ts";

export interface Mailbox extends AsyncDisposable {
  port(): Promise<number>;
}

const MAX_MAIL_BYTES = 1_048_576;

export function createMailbox(receptions: Receptions): Mailbox {
  let opened: Promise<{ readonly server: SMTPServer; readonly port: number }> | null = null;

  async function open() {
    const server: SMTPServer = new SMTPServer({
      authOptional: true,
      disabledCommands: ["AUTH", "STARTTLS"],
      disableReverseLookup: true,
      size: MAX_MAIL_BYTES,
      logger: false,
      onData: (stream, session, done) => void answerTo(take(receptions, server, { stream, session }), done),
    });
    // A client that disconnects is not an error of the sandbox.
    server.on("error", () => undefined);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
    await promise;
    const address = server.server.address();
    if (address === null || typeof address === "string") throw new Error("the mail server has no port");
    return { server, port: address.port };
  }

  return {
    async port() {
      opened ??= open();
      return (await opened).port;
    },
    async [Symbol.asyncDispose]() {
      const found = await opened;
      if (found === null) return;
      await new Promise<void>((resolve) => {
        found.server.close(() => resolve());
      });
    },
  };
}

async function answerTo(taking: Promise<void>, done: (error?: Error | null) => void): Promise<void> {
  try {
    await taking;
    done();
  } catch (error) {
    done(error instanceof Error ? error : new Error("not taken"));
  }
}

/** A refusal with its SMTP code: 4xx temporary, 5xx permanent. */
class MailRefused extends Error {
  readonly responseCode: number;

  constructor(responseCode: number, message: string) {
    super(message);
    this.responseCode = responseCode;
  }
}

const OK = 250;
const REFUSALS: Readonly<Record<Fault["kind"], readonly [code: number, text: string] | null>> = {
  slow: null,
  lost_answer: null,
  down: [421, "Service not available"],
  rate_limit: [451, "Try again later"],
  gone: [550, "No such mailbox"],
};

async function take(
  receptions: Receptions,
  server: SMTPServer,
  { stream, session }: { readonly stream: SMTPServerDataStream; readonly session: SMTPServerSession },
): Promise<void> {
  const parts: Uint8Array[] = [];
  const source: AsyncIterable<Uint8Array> = stream;
  for await (const part of source) parts.push(part);
  const body = Buffer.concat(parts);
  const mail = await PostalMime.parse(body);
  const recipient = session.envelope.rcptTo[0]?.address ?? "";
  const fault = await receptions.strike("courriel", recipient);
  const refusal = fault === null ? null : REFUSALS[fault.kind];
  receptions.note({
    channel: "courriel",
    recipient,
    isTaken: refusal === null,
    status: refusal?.[0] ?? OK,
    method: "SMTP",
    headers: Object.fromEntries(mail.headers.map(({ key, value }) => [key.toLowerCase(), value])),
    content: { sujet: mail.subject ?? "", texte: mail.text ?? "" },
    body,
  });
  if (refusal !== null) throw new MailRefused(...refusal);
  // The mail is stored, but the connection closes before the reply.
  if (fault?.kind === "lost_answer") for (const one of server.connections) one.close();
}
