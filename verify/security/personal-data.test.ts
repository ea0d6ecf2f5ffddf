import { zstdDecompressSync } from "node:zlib";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { z } from "zod";
import { askProduct } from "#cli/ask-product.ts";
import { EVER } from "#market/archive/archive-reader.ts";
import type { OpenStore } from "#store/open-store.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { startDiscordReceiver } from "#verify/testing/discord-receiver.ts";
import type { Person } from "#verify/testing/person.ts";
import { temporaryFolder } from "#verify/testing/temporary-folder.ts";
import { startWorld, type World } from "#verify/testing/world.ts";
import { figure, sized } from "./figures.ts";

/** Data protection: an export is complete and holds nobody else; an erasure keeps only accounting. */
const PEOPLE = sized(4, 1_000);

/** The beginning of the sellers' names. */
const SELLER = "vendeur-de-droit";

interface Marked {
  readonly person: Person;
  /** Texts unique to this person. */
  readonly marks: readonly string[];
  readonly token: string;
  /** The secret of the person's Discord webhook. */
  readonly webhook: string;
}

async function aMarkedPerson(world: World, index: number): Promise<Marked> {
  const name = `thunder-droit${index}x`;
  const person = await world.signIn(name);
  const marks = ["tag", "note", "rue", "relais", "mot", "bloque"].map((kind) => `${kind}droit${index}x`);
  const [tag = "", note = "", street = "", relay = "", word = "", blocked = ""] = marks;
  await person.call("blockSellers", { vendeurs: [{ login: blocked }] });
  await person.call("addFilter", { tag, info: note, mots: [word], autobuy: index % 2 === 0, limit: 500 });
  await person.call("editSettings", {
    paiement: 1,
    adresse: { rue: street, ville: "Paris", code_postal: 75_001, pays: "France" },
    relais: [relay],
  });
  const chat = 500_000 + index;
  const webhook = `cle-de-droit${index}x`.padEnd(64, "-");
  await person.call("editAlerts", {
    discord: `https://discord.com/api/webhooks/123456789012345678/${webhook}`,
  });
  const device = `appareildroit${index}x`;
  await addNamedChannels(world, person, device, chat);
  await world.sandbox.publish({ title: `Un ${word}`, price: 5, seller: `${SELLER}${index}` });
  if (index % 2 === 0)
    await expect.poll(async () => (await person.call("purchases")).purch[0]?.status).toBe(1);
  else
    await expect
      .poll(async () => JSON.stringify((await person.raw("GET", "/articles/recent")).body))
      .toContain(word);
  return {
    person,
    marks: [...marks, name, device, `Conversation ${chat}`],
    token: `sandbox-${name}`,
    webhook,
  };
}

const subscriptionOf = z.object({
  abonnement: z.object({ endpoint: z.string(), keys: z.object({ p256dh: z.string(), auth: z.string() }) }),
});

/** A browser with a free name, and a paired chat, which has the name of its owner at Telegram. */
async function addNamedChannels(world: World, person: Person, nom: string, chat: number): Promise<void> {
  const made = await world.sandbox.control("POST", "/push/devices", { nom });
  await person.call("addAlertDevice", { abonnement: subscriptionOf.parse(made).abonnement, nom });
  const { code } = await person.call("pairTelegram");
  await world.sandbox.control("POST", "/telegram/messages", { chat, texte: `/start ${code}` });
  await expect
    .poll(async () => (await person.call("alertCentre")).alertes.canaux.map(({ nom: name }) => name))
    .toContain(`Conversation ${chat}`);
}

async function operator(world: World, command: "export" | "erase", name: string): Promise<string> {
  const answer = await askProduct({ command, input: { name } }, world.dataDir);
  if (!answer.ok) throw new Error(answer.error);
  return JSON.stringify(answer.data);
}

test("an export is complete and holds nobody else's data; an erasure keeps the ledger", async () => {
  await using folder = await temporaryFolder();
  await using discord = await startDiscordReceiver();
  const world = await startWorld({
    dataDir: folder.path,
    discordUrl: discord.url,
    env: { RATE_LIMITS: "off" },
  });
  const people: Marked[] = [];
  for (let index = 0; index < PEOPLE; index += 1) people.push(await aMarkedPerson(world, index));

  for (const { person, marks, token, webhook } of people) {
    const copy = await operator(world, "export", person.name);
    for (const text of marks) expect([person.name, copy.includes(text)]).toEqual([person.name, true]);
    expect(copy).not.toContain(token);
    expect(copy).not.toContain(webhook);
    expect(copy).toContain(`"channels":[{"channel":"discord"`);
    // Their signed-in devices, as named in their panel.
    expect(copy).toContain(`"device":"`);
    for (const other of people.filter((one) => one.person !== person))
      for (const text of other.marks) expect(copy).not.toContain(text);
    for (const part of [
      "person",
      "settings",
      "blockedSellers",
      "filters",
      "purchases",
      "sessions",
      "matches",
      "audit",
    ])
      expect(copy).toContain(`"${part}":`);
  }

  const erased = people.filter((_, index) => index % 4 !== 3);
  const ids = new Map<string, string>();
  for (const { person } of erased) {
    const [, id = ""] = /"id":"([^"]+)"/.exec(await operator(world, "export", person.name)) ?? [];
    ids.set(person.name, id);
    await operator(world, "erase", person.name);
  }
  await world[Symbol.asyncDispose]();

  const { store, ...rest } = await openTestStore({ dataDir: folder.path });
  const tables = await dump(store);
  // Sellers' texts are not personal data of users, and are deleted within a day.
  const own = [...tables].filter(([name]) => name !== "seen_listings");
  const all = own.map(([, rows]) => rows).join("\n");
  for (const { marks, token, webhook } of erased)
    for (const text of [...marks, token, webhook]) expect(all).not.toContain(text);
  const kept = people.filter((one) => !erased.includes(one));
  for (const { marks } of kept) expect(all).toContain(marks[0]);
  // Only the bare id remains, only where money and actions are accounted for.
  const holding = [...tables]
    .filter(([, rows]) => [...ids.values()].some((id) => rows.includes(id)))
    .map(([name]) => name);
  const books = ["audit_entries", "budgets", "ledger", "stop_switches"];
  expect(holding.filter((name) => !books.includes(name))).toEqual([]);
  expect(holding).toContain("ledger");
  expect(tables.get("seen_listings")).toContain(SELLER);
  const archive = await archivedTexts(store);
  for (let index = 0; index < PEOPLE; index += 1) expect(archive).toContain(`un motdroit${index}x`);
  for (const text of [SELLER, "/items/", "http", "photo"]) expect(archive).not.toContain(text);
  await rest[Symbol.asyncDispose]();
  figure(
    "data rights",
    `${people.length} exports: whole, 0 texts of anybody else; ${erased.length} erasures: 0 canaries in ${tables.size} tables, the bare id only in ${holding.join(", ")}`,
  );
});

/** All rows of every table as text. */
async function dump({ db }: OpenStore): Promise<ReadonlyMap<string, string>> {
  const named = sql`select table_name as name from information_schema.tables where table_schema = 'public'`;
  const names = (await rowsOf(db.execute(named))).map(({ name }) => String(name));
  const tables = new Map<string, string>();
  for (const name of names) {
    const rows = await rowsOf(
      db.execute(sql`select row_to_json(t)::text as row from ${sql.identifier(name)} t`),
    );
    tables.set(name, rows.map(({ row }) => String(row)).join("\n"));
  }
  return tables;
}

/** Everything that is in the market's archive, decompressed. */
async function archivedTexts({ archive }: OpenStore): Promise<string> {
  const heads = await archive.heads(EVER);
  const idsOf = (isTail: boolean) => heads.filter((head) => head.isTail === isTail).map(({ id }) => id);
  const pieces = [...(await archive.tailData(idsOf(true))), ...(await archive.blockData(idsOf(false)))];
  return pieces.map(({ data }) => zstdDecompressSync(data).toString("latin1")).join("\n");
}

async function rowsOf(answer: PromiseLike<unknown>): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return ((await answer) as { readonly rows: readonly Readonly<Record<string, unknown>>[] }).rows;
}
