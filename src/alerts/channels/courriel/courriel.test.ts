import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { afterAll, beforeEach, expect, test } from "vitest";
import { Secret } from "#domain/secret.ts";
import type { Channel } from "../../channel.ts";
import { createCourriel } from "./courriel.ts";

/** When the mail server disconnects, its answer to the whole mail, or the command that it refuses. */
type Conduct =
  | "at the greeting"
  | "after the mail"
  | `${number} ${string}answer`
  | `${number} at ${"MAIL" | "RCPT"}`;
let conduct: Conduct = "250 answer";
const taken: string[] = [];
/** How long the server thinks about a whole mail. */
let answerDelayMs = 0;

/** A minimal SMTP server: one answer per line, and one per mail. */
const server = createServer((socket) => {
  socket.on("error", () => undefined);
  if (conduct === "at the greeting") socket.destroy();
  else speak(socket);
});

function speak(socket: Socket): void {
  let mail: string | null = null;
  socket.write("220 mail.example\r\n");
  socket.on("data", (data) => {
    if (mail !== null) mail += data.toString();
    else if (data.toString().startsWith("DATA")) {
      mail = "";
      socket.write("354 go on\r\n");
    } else if (data.toString().startsWith("QUIT")) socket.end();
    else socket.write(`${refusalOf(data.toString()) ?? "250 yes"}\r\n`);
    if (mail?.endsWith("\r\n.\r\n") !== true) return;
    taken.push(mail);
    mail = null;
    if (conduct === "after the mail") socket.destroy();
    else setTimeout(() => socket.write(`${conduct}\r\n`), answerDelayMs);
  });
}

/** "553 at MAIL" answers 553 to that command. */
function refusalOf(line: string): string | null {
  const [status = "", command] = conduct.split(" at ");
  return command !== undefined && line.startsWith(command) ? `${status} no` : null;
}

let port = 0;
let courriel: Channel;

beforeEach(async () => {
  if (!server.listening) {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  }
  const address = server.address();
  port = address === null || typeof address === "string" ? 0 : address.port;
  taken.length = 0;
  answerDelayMs = 0;
  conduct = "250 answer";
  courriel = courrielAt(port);
});
afterAll(() => {
  server.close();
});

function courrielAt(chosen: number): Channel {
  return createCourriel(() => at(chosen), "aide@synapse.example");
}

const at = async (chosen: number) => ({
  host: "127.0.0.1",
  port: chosen,
  isSecure: false,
  isLoopback: true,
  user: "",
  password: "",
});

async function outcomeWhen(wanted: Conduct, channel = courriel) {
  conduct = wanted;
  const kind = await sentBy(channel);
  await channel[Symbol.asyncDispose]();
  return kind;
}

async function sentBy(channel: Channel, title = "Nouvelle connexion à vérifier") {
  const outcome = await channel.send(new Secret(""), {
    type: "account",
    message: { title, body: "Firefox sur Windows", path: "/synapse" },
    isLoud: true,
    mark: "a-mark",
    url: "https://synapse.example/synapse",
    listing: null,
    ttlS: 600,
    email: "lea@synapse.example",
  });
  return outcome.kind;
}

test("a mail is plain text with its link, and is delivered once", async () => {
  expect(await outcomeWhen("250 answer")).toBe("sent");
  expect(taken).toHaveLength(1);
  expect(taken[0]).toContain("Content-Type: text/plain; charset=utf-8");
  expect(taken[0]).toContain("Firefox sur Windows\r\n\r\nhttps://synapse.example/synapse");
});

test("a connection lost after the mail was sent is an unknown outcome, not a failure", async () => {
  expect(await outcomeWhen("after the mail")).toBe("unknown");
  expect(taken).toHaveLength(1);
});

test("a refused connection or login is retried: nothing was delivered", async () => {
  expect(await outcomeWhen("at the greeting")).toBe("wait");
  // Nothing listens on port 1.
  expect(await outcomeWhen("250 answer", courrielAt(1))).toBe("wait");
  expect(taken).toEqual([]);
});

test("a server's answer decides whether a mail is retried", async () => {
  expect(await outcomeWhen("451 answer")).toBe("wait");
  expect(await outcomeWhen("550 5.1.1 answer", courrielAt(port))).toBe("gone");
  expect(await outcomeWhen("550 5.7.26 answer", courrielAt(port))).toBe("refused");
  expect(await outcomeWhen("554 answer", courrielAt(port))).toBe("refused");
  expect(taken).toHaveLength(4);
});

test.each(["553 at MAIL", "550 at MAIL", "530 at RCPT"] as const)(
  "a refusal of the sender or of a missing login says nothing about the mailbox: %s is retried",
  async (refusal) => {
    expect(await outcomeWhen(refusal)).toBe("wait");
  },
);

test("a refused recipient is gone", async () => {
  expect(await outcomeWhen("550 at RCPT")).toBe("gone");
  expect(taken).toEqual([]);
});

test("a burst that is longer than the deadline is sent by retries, each mail once", async () => {
  answerDelayMs = 500;
  // Four connections answer 16 mails before the deadline.
  await using channel = createCourriel(() => at(port), "aide@synapse.example", 2_000);
  const kinds: string[] = [];
  const retried = async (title: string): Promise<void> => {
    const kind = await sentBy(channel, title);
    kinds.push(kind);
    if (kind !== "sent") await retried(title);
  };
  const titles = Array.from({ length: 60 }, (_, n) => `mail-${n}.`);
  await Promise.all(titles.map(retried));
  expect(new Set(kinds)).toEqual(new Set(["wait", "sent"]));
  const subjects = taken.map((mail) => /mail-\d+\./u.exec(mail)?.[0] ?? "");
  expect(subjects.toSorted()).toEqual(titles.toSorted());
});

test("a mail that the server took, but did not answer in time, is an unknown outcome", async () => {
  answerDelayMs = 1_000;
  await using channel = createCourriel(() => at(port), "aide@synapse.example", 200);
  expect(await sentBy(channel)).toBe("unknown");
  expect(taken).toHaveLength(1);
});

test("the mail server's address is asked for again after that failed, and after it has changed", async () => {
  conduct = "250 answer";
  const answers = [() => Promise.reject(new Error("unknown")), () => at(1), () => at(port)];
  await using channel = createCourriel(() => (answers.shift() ?? (() => at(port)))(), "aide@synapse.example");
  const kinds = [];
  for (let n = 0; n < 4; n += 1) kinds.push(await sentBy(channel));
  // Nothing listens on port 1.
  expect(kinds).toEqual(["wait", "wait", "sent", "sent"]);
  expect(taken).toHaveLength(2);
});
