import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { askProduct } from "#cli/ask-product.ts";
import { calls } from "#contract/calls.ts";
import { freePort } from "#verify/testing/free-port.ts";
import { signInAt, type Person } from "#verify/testing/person.ts";
import { spawnProduct } from "#verify/testing/product-process.ts";
import { openTab } from "#verify/testing/tab.ts";
import { temporaryFolder } from "#verify/testing/temporary-folder.ts";
import { preparedFolder } from "#verify/testing/test-store.ts";
import { figure } from "./figures.ts";

/**
 * Marked secrets (canaries) pass through every part of a product process; then its log, the answers to
 * others, the socket's frames, the store's files and a backup are searched for them.
 */
const PEOPLE = 12;

const encodings: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  base64: (text) => Buffer.from(text).toString("base64").replace(/=+$/, ""),
  base64url: (text) => Buffer.from(text).toString("base64url"),
  hex: (text) => Buffer.from(text).toString("hex"),
  percent: (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  "utf-16": (text) => Buffer.from(text, "utf16le").toString("latin1"),
};

interface Canary {
  readonly what: string;
  readonly text: string;
}

/** The canaries found in a text, with their encoding; ignores case. */
function foundIn(place: string, canaries: readonly Canary[]): readonly string[] {
  const searched = place.toLowerCase();
  return canaries.flatMap(({ what, text }) =>
    Object.entries(encodings)
      .filter(([, encode]) => searched.includes(encode(text).toLowerCase()))
      .map(([encoding]) => `${what} (${encoding})`),
  );
}

const mark = (kind: string): string => `canari-${kind}-${randomBytes(9).toString("hex")}`;

interface Marked {
  readonly person: Person;
  readonly canaries: readonly Canary[];
}

async function aMarkedPerson(url: string, index: number): Promise<Marked> {
  const person = await signInAt(url, `thunder-fuite-${index}`);
  const [token, street, relay] = [mark("jeton"), mark("rue"), mark("relais")];
  await person.call("editSettings", {
    token,
    paiement: 1,
    adresse: { rue: street, ville: "Paris", code_postal: 75_001, pays: "France" },
    relais: [relay],
  });
  const webhook = randomBytes(40).toString("base64url").padEnd(60, "x");
  await person.call("editAlerts", {
    discord: `https://discord.com/api/webhooks/123456789012345678/${webhook}`,
  });
  const secret = person.cookie.slice(person.cookie.indexOf("=") + 1);
  return {
    person,
    canaries: [
      { what: `token ${index}`, text: token },
      { what: `street ${index}`, text: street },
      { what: `pickup point ${index}`, text: relay },
      { what: `webhook ${index}`, text: webhook },
      { what: `cookie ${index}`, text: secret },
    ],
  };
}

/** Causes errors with the canaries in every place that an error message could quote. */
async function provoke(url: string, { person, canaries }: Marked): Promise<string> {
  const answers: string[] = [];
  for (const { text } of canaries) {
    for (const [path, init] of [
      [`/filtres/publics?q=${text}&q=${text}`, {}],
      [`/${text}`, {}],
      [`/auth/discord/callback?code=${text}&state=${text}`, {}],
      ["/vinted/edit", { method: "POST", body: `{"token": "${text}` }],
      ["/vinted/edit", { method: "POST", body: JSON.stringify({ adresse: { rue: text.repeat(40) } }) }],
      ["/vinted/alertes", { method: "POST", body: JSON.stringify({ discord: `${text}/x` }) }],
      ["/purchase/click", { method: "POST", body: JSON.stringify({ id: text }) }],
      ["/auth/user", { headers: { origin: `https://${text}.example`, "x-forwarded-for": text } }],
      ["/auth/user", { headers: { authorization: `Bearer ${text}`, referer: `https://a.example/${text}` } }],
    ] as const) {
      const response = await fetch(`${url}${path}`, {
        redirect: "manual",
        ...init,
        headers: {
          cookie: person.cookie,
          "content-type": "application/json",
          ...("headers" in init ? init.headers : {}),
        },
      });
      answers.push(await response.text());
    }
  }
  return answers.join("\n");
}

/** All answers that must not contain a secret: excludes the owner's settings and the token's call. */
async function readAll({ person }: Marked): Promise<string> {
  const answers: string[] = [];
  for (const call of Object.values(calls)) {
    if (call.method !== "GET" || call === calls.signOut || call === calls.token) continue;
    const answer = await person.raw("GET", call.path);
    const text = JSON.stringify([answer.body, [...answer.headers]]);
    // Only this answer may contain the person's own address.
    answers.push(call === calls.settings ? text.replaceAll(/canari-(rue|relais)-\w+/g, "") : text);
  }
  return answers.join("\n");
}

/** As text without long runs of zeros; matched in pieces, because the regular expression has a stack. */
function textOf(bytes: Buffer): string {
  return bytes.toString("latin1").replaceAll(/\0{16,4096}/g, "\0");
}

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test("no secret leaves by the log, an answer, a frame, the store or a backup", async () => {
  await using folder = await temporaryFolder();
  await using data = await preparedFolder();
  const dataDir = data.path;
  const [port, sandboxPort] = [await freePort(), await freePort()];
  await using product = spawnProduct({
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    DATA_DIR: dataDir,
    LOG_LEVEL: "info",
    RATE_LIMITS: "off",
  });
  await product.ready;
  const url = `http://localhost:${port}`;
  const people: Marked[] = [];
  for (let index = 0; index < PEOPLE; index += 1) people.push(await aMarkedPerson(url, index));
  const visible = mark("visible");
  await people[0]?.person.call("addFilter", { tag: visible });

  const tabs = people.slice(0, 4).map(({ person }) => openTab(url, person.cookie));
  const answers: string[] = [];
  for (const one of people) answers.push(await provoke(url, one), await readAll(one));
  for (const tab of tabs) tab.socket.emit("flux_handler");
  await expect.poll(() => tabs.every(({ flux }) => flux.length > 0)).toBe(true);
  const frames = JSON.stringify(tabs.map(({ flux, purchases, life }) => [flux, purchases, life]));
  for (const tab of tabs) tab.close();

  const said: string[] = [];
  const archive = join(folder.path, "copy.tar.gz");
  for (const [command, input] of [
    ["users", {}],
    ["show", { name: "thunder-fuite-1" }],
    ["backup", { file: archive }],
    ["rotate-keys", {}],
    ["doctor", {}],
  ] as const)
    said.push(JSON.stringify(await askProduct({ command, input }, dataDir)));

  product.kill("SIGTERM");
  const { stderr, stdout } = await product.ended;
  const keyLines = readFileSync(join(dataDir, "master.keys"), "utf8")
    .split("\n")
    .filter((line) => /^[\w+/]{43}=$/.test(line));
  expect(keyLines).toHaveLength(2);
  const canaries = [
    ...people.flatMap((one) => one.canaries),
    ...keyLines.map((text, index) => ({ what: `master key ${index}`, text: text.slice(0, -1) })),
  ];
  expect(canaries).toHaveLength(62);

  const store = filesBelow(join(dataDir, "store")).map((file) => textOf(readFileSync(file)));
  const backup = textOf(gunzipSync(readFileSync(archive)));
  const places: Readonly<Record<string, string>> = {
    log: stderr + stdout,
    answers: answers.join("\n"),
    frames,
    operator: said.join("\n"),
    store: store.join("\n"),
    backup,
  };
  for (const [place, text] of Object.entries(places))
    expect([place, foundIn(text, canaries)]).toEqual([place, []]);
  // Proves that the search works: a filter's tag is not secret and is stored in plain text.
  expect(foundIn(places["store"] ?? "", [{ what: "tag", text: visible }])).toEqual(["tag (plain)"]);
  expect(foundIn(places["backup"] ?? "", [{ what: "tag", text: visible }])).toEqual(["tag (plain)"]);
  expect(stderr.split("\n").length).toBeGreaterThan(100);
  const bytes = Object.values(places).reduce((sum, text) => sum + text.length, 0);
  figure(
    "leaks",
    `${canaries.length} canaries x ${Object.keys(encodings).length} encodings in ${Object.keys(places).length} places (${Math.round(bytes / 1_000_000)} MB): 0 found; the control was found in 2 of 2`,
  );
});

test.each(Object.keys(encodings))("the search sees a canary that is written as %s", (name) => {
  const text = mark("controle");
  const hidden = `before ${encodings[name]?.(text) ?? ""} after`;
  expect(foundIn(hidden, [{ what: "it", text }])).toContain(`it (${name})`);
});
