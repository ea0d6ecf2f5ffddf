import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type OperatorAnswer, finding } from "#contract/operator.ts";
import type { UserId } from "#domain/ids.ts";
import { type World, startWorld } from "#verify/testing/world.ts";
import { aSeenListing } from "#verify/testing/a-listing.ts";
import { archived } from "#verify/testing/archived.ts";
import { openStore } from "#store/open-store.ts";
import { users } from "#store/schema/tables.ts";
import { preparedFolder, testStoreOptions } from "#verify/testing/test-store.ts";
import { temporaryFolder } from "#verify/testing/temporary-folder.ts";
import { operatorSocketPath } from "#server/operator/data-dir.ts";
import { askProduct, ProductDown } from "./ask-product.ts";
import { parseCommand } from "./parse-command.ts";

const ENTRY = join(import.meta.dirname, "main.ts");

let world: World;
beforeAll(async () => {
  world = await startWorld({ env: { RATE_LIMITS: "off" } });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

/** The running product's answer to a typed command. */
async function admin(line: string): Promise<OperatorAnswer> {
  return askProduct(parseCommand(line.split(" "), world.dataDir), world.dataDir);
}

async function dataOf(line: string): Promise<unknown> {
  const answer = await admin(line);
  if (!answer.ok) throw new Error(`${line}: ${answer.error}`);
  return answer.data;
}

async function refusalOf(line: string): Promise<string> {
  const answer = await admin(line);
  if (answer.ok) throw new Error(`${line} was carried out`);
  return answer.error;
}

describe("people and plans", () => {
  test("a granted plan counts at the next call, a revoked one no more", async () => {
    const bob = await world.signIn("bob");
    expect(await dataOf("waitlist")).toMatchObject([{ rank: 1, login: "bob" }]);
    await dataOf("grant bob acquire --days 30");
    expect((await bob.call("user")).user).toMatchObject({ level: 1, plan: "acquire" });
    expect((await bob.call("user")).user?.fin).toBeGreaterThan(Date.now() + 29 * 86_400_000);
    await bob.call("addFilter", { tag: "auto", autobuy: true });
    await dataOf("revoke bob");
    expect(await bob.raw("GET", "/filtres/get")).toMatchObject({ status: 403 });
    await dataOf("grant bob acquire");
    expect((await bob.call("filters")).filtres).toMatchObject([{ autobuy: true }]);
  });

  test("what people and sellers wrote commands no terminal, and JSON says the same", async () => {
    const ivo = await world.signIn("seeker-ivo");
    const written = { tag: "Filtre \u{e0001} d'Ivo", info: "\u009b31m\u202e\u{e0001}" };
    await ivo.call("addFilter", written);
    for (const options of [[], ["--json"]]) {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [ENTRY, "export", "seeker-ivo", ...options],
        { env: { PATH: process.env["PATH"] ?? "", DATA_DIR: world.dataDir } },
      );
      expect(stdout).not.toMatch(/[^\P{C}\n]/u);
      expect(JSON.parse(stdout)).toMatchObject({ filters: [written] });
    }
  });

  test("a downgrade to Seeker turns automatic buying off", async () => {
    const tom = await world.signIn("thunder-tom");
    await tom.call("addFilter", { tag: "auto", mots: ["saphir"], autobuy: true });
    await dataOf("grant thunder-tom seeker");
    expect((await tom.call("filters")).filtres).toMatchObject([{ autobuy: false, active: true }]);
    const tab = world.openTab(tom);
    await world.sandbox.publish({ title: "Un saphir", price: 5 });
    await expect.poll(() => tab.items.map((item) => item.title)).toEqual(["Un saphir"]);
    expect((await world.sandbox.orders()).filter((order) => order.account === "thunder-tom")).toEqual([]);
  });

  test("a plan that ends closes the person's pages", async () => {
    const zoe = await world.signIn("seeker-zoe");
    const tab = world.openTab(zoe);
    await expect.poll(() => tab.life).toEqual(["connect"]);
    await dataOf("revoke seeker-zoe");
    await expect.poll(() => tab.life).toEqual(["connect", "disconnect: io server disconnect"]);
  });

  test("a suspended person is out everywhere until the suspension ends", async () => {
    const eva = await world.signIn("thunder-eva");
    const tab = world.openTab(eva);
    await expect.poll(() => tab.life).toEqual(["connect"]);
    await dataOf("suspend thunder-eva");
    expect(await eva.raw("GET", "/filtres/get")).toMatchObject({ status: 401 });
    await expect.poll(() => tab.life).toEqual(["connect", "disconnect: io server disconnect"]);
    const again = await world.signIn("thunder-eva");
    expect((await again.call("user")).user).toMatchObject({ level: 0 });
    await dataOf("unsuspend thunder-eva");
    expect((await again.call("user")).user).toMatchObject({ level: 2 });
  });

  test("show and users say who somebody is, never a secret", async () => {
    await world.signIn("thunder-ugo");
    const shown = await admin("show thunder-ugo");
    expect(shown).toMatchObject({
      ok: true,
      data: { login: "thunder-ugo", plan: "thunder", account: "connected" },
    });
    expect(JSON.stringify([shown, await admin("users")])).not.toContain("sandbox-thunder-ugo");
  });

  test("show and export count and hold the groups and blocked sellers; erase takes them along", async () => {
    const pia = await world.signIn("thunder-pia");
    const { filtre } = await pia.call("addFilter", {
      tag: "Manteaux",
      mots: ["alpaga"],
      regles: { budget_total: 60, jours: [6, 7] },
    });
    await pia.call("addGroup", { nom: "Un manteau", achats: 1, budget: 60, filtres: [filtre._id] });
    await pia.call("blockSellers", { vendeurs: [{ login: "lea75", id: 75 }, { login: "zoe" }] });
    expect(await dataOf("show thunder-pia")).toMatchObject({ filters: 1, groups: 1, blockedSellers: 2 });
    expect(await dataOf("export thunder-pia")).toMatchObject({
      groups: [{ nom: "Un manteau", achats: 1, budget: 60, filtres: [filtre._id], etat: "ouvert" }],
      blockedSellers: expect.arrayContaining([
        expect.objectContaining({ login: "lea75", sellerId: 75 }),
        expect.objectContaining({ login: "zoe", sellerId: null }),
      ]) as unknown,
      filters: [{ tag: "Manteaux", regles: { budget_total: 60, jours: [6, 7], pause: null } }],
    });
    await dataOf("erase thunder-pia");
    const newcomer = await world.signIn("thunder-pia");
    expect((await newcomer.call("groups")).groupes).toEqual([]);
    expect(await dataOf("show thunder-pia")).toMatchObject({ filters: 0, groups: 0, blockedSellers: 0 });
  });

  test("a name that nobody answers to is refused with advice", async () => {
    expect(await refusalOf("show nobody-at-all")).toMatch(/"users" lists/);
    expect(await refusalOf("grant nobody-at-all seeker")).toMatch(/nobody/);
  });
});

describe("stops", () => {
  test("a stop of one person refuses clicks until it is lifted", async () => {
    const ali = await world.signIn("thunder-ali");
    await ali.call("addFilter", { tag: "perle", mots: ["perle"] });
    const tab = world.openTab(ali);
    const [item] = await world.sandbox.publish({ title: "Une perle", price: 5 });
    await expect.poll(() => tab.items.length).toBe(1);
    await dataOf("stop thunder-ali");
    expect(await ali.raw("POST", "/purchase/click", { id: item?.id })).toMatchObject({ status: 503 });
    await dataOf("resume thunder-ali");
    expect(await ali.raw("POST", "/purchase/click", { id: item?.id })).toMatchObject({ status: 200 });
  });

  test("a stop of everybody is what doctor complains of, until it is lifted", async () => {
    await dataOf("stop");
    const complaints = z
      .array(finding)
      .parse(await dataOf("doctor"))
      .filter((one) => one.isWrong);
    expect(complaints.map((one) => one.what).join()).toMatch(/all purchases are stopped/);
    await dataOf("resume");
    const left = z
      .array(finding)
      .parse(await dataOf("doctor"))
      .filter((one) => one.isWrong);
    expect(left).toEqual([]);
  });

  test("only an undecided purchase can be resolved", async () => {
    expect(await refusalOf("resolve p1 confirmed")).toMatch(/no purchase/);
    const ira = await world.signIn("thunder-ira");
    await ira.call("addFilter", { tag: "onyx", mots: ["onyx"], autobuy: true });
    await world.sandbox.publish({ title: "Un onyx", price: 5 });
    const purchases = async () => (await ira.call("purchases")).purch;
    await expect.poll(async () => (await purchases())[0]?.status).toBe(1);
    expect(await refusalOf(`resolve ${(await purchases())[0]?._id ?? ""} cancelled`)).toMatch(/decided/);
  });
});

describe("a person's data", () => {
  test("export holds all of it but the token; erase leaves none, nor a way in", async () => {
    const lea = await world.signIn("thunder-lea");
    await lea.call("addFilter", { tag: "Filtre de Léa", mots: ["jade"], autobuy: true });
    await lea.call("editSettings", { relais: ["Tabac du coin"] });
    await world.sandbox.publish({ title: "Un jade", price: 5 });
    await expect.poll(async () => (await lea.call("purchases")).purch[0]?.status).toBe(1);
    const exported = JSON.stringify(await dataOf("export thunder-lea"));
    for (const expected of ["Filtre de Léa", "Tabac du coin", "Un jade", "login"])
      expect(exported).toContain(expected);
    expect(exported).not.toContain("sandbox-thunder-lea");
    await dataOf("erase thunder-lea");
    expect((await lea.call("user")).user).toBeNull();
    expect(await refusalOf("show thunder-lea")).toMatch(/nobody/);
    const newcomer = await world.signIn("thunder-lea");
    expect((await newcomer.call("filters")).filtres).toEqual([]);
    // The marketplace account is the same, so its order may be found again as one made elsewhere.
    const known = (await newcomer.call("purchases")).purch.filter(({ source }) => source !== "externe");
    expect(known).toEqual([]);
  });
});

describe("a person who cannot be read", () => {
  /** @returns the id of the person, whose key was sealed by a master key that is gone */
  async function lose(login: string, dataDir: string): Promise<UserId> {
    await using store = await openStore(testStoreOptions(dataDir));
    const user = await store.users.find(login);
    if (user === null) throw new Error(`${login} is unknown`);
    const wrappedDataKey = new Uint8Array(64);
    await store.db.update(users).set({ wrappedDataKey }).where(eq(users.id, user.id));
    return user.id;
  }

  test("the product starts, everybody else's listings match, and erase takes the bare id", async () => {
    await using folder = await preparedFolder();
    const first = await startWorld({ dataDir: folder.path });
    const people = [await first.signIn("thunder-lia"), await first.signIn("thunder-lou")];
    for (const person of people) await person.call("addFilter", { tag: "Jade", mots: ["jade"] });
    await first[Symbol.asyncDispose]();
    const lost = await lose("thunder-lia", folder.path);

    await using second = await startWorld({ dataDir: folder.path, env: { RATE_LIMITS: "off" } });
    const tab = second.openTab(await second.signIn("thunder-lou"));
    await second.sandbox.publish({ title: "Un jade", price: 5 });
    await expect.poll(() => tab.items.map(({ title }) => title)).toEqual(["Un jade"]);
    const ask = async (line: string) => {
      const answer = await askProduct(parseCommand(line.split(" "), folder.path), folder.path);
      return answer.ok ? answer.data : answer.error;
    };
    expect(await ask("users")).toMatchObject([{ id: lost, login: lost }, { login: "thunder-lou" }]);
    expect(await ask(`show ${lost}`)).toMatch(/cannot be opened/);
    expect(await ask(`erase ${lost}`)).toEqual({ erased: lost });
    expect(await ask("users")).toMatchObject([{ login: "thunder-lou" }]);
  });
});

describe("upkeep", () => {
  test("a backup is a file of its own that nobody else can read", async () => {
    const file = join(world.dataDir, "copy.tar");
    await dataOf(`backup ${file}`);
    const { size, mode } = await stat(file);
    expect(size).toBeGreaterThan(100_000);
    expect(mode & 0o077).toBe(0);
  });

  test("after a rotation what was sealed before still opens", async () => {
    const oda = await world.signIn("thunder-oda");
    await oda.call("editSettings", { relais: ["Chez Oda"] });
    expect(await dataOf("rotate-keys")).toMatchObject({ hasNewKey: true });
    expect((await oda.call("settings")).vinted.relais).toEqual(["Chez Oda"]);
  });
});

describe("the archive of the market", () => {
  test("a damaged block and paused look-ups are what doctor complains of, until the archive is erased", async () => {
    await using folder = await preparedFolder();
    {
      await using store = await openStore(testStoreOptions(folder.path));
      const { data, versions } = archived([aSeenListing()]);
      const bytes = data.map((byte, place) => (place === data.length - 1 ? byte ^ 1 : byte));
      const times = { firstMs: Date.now(), lastMs: Date.now() };
      const day = new Date().toISOString().slice(0, 10);
      const block = { day, example: 0, isSorted: true, versions, ...times, leafIds: [221], data: bytes };
      await store.archive.change({ tail: [], blocks: [], made: [block] });
      await store.sellerFacts.pause(Date.now(), null);
    }
    await using _ = await startWorld({ dataDir: folder.path });
    const ask = async (line: string) => {
      const answer = await askProduct(parseCommand(line.split(" "), folder.path), folder.path);
      return answer.ok ? answer.data : answer.error;
    };
    const found = async (subject = "archive") => {
      const findings = z.array(finding).parse(await ask("doctor"));
      return findings.filter(({ what }) => what.includes(subject));
    };
    // The marketplace refused a look-up of a seller a moment ago.
    expect(await found("look-ups")).toEqual([
      {
        isWrong: true,
        what: expect.stringMatching(/^look-ups of sellers are paused until 20.* refused one$/) as string,
        advice: expect.stringContaining("SELLER_REQUESTS_SHARE=0") as string,
      },
    ]);
    expect(await found()).toEqual([
      {
        isWrong: true,
        what: expect.stringMatching(/^blocks of the archive are damaged: b\d+$/) as string,
        advice: expect.stringContaining("archive erase") as string,
      },
    ]);
    expect(await ask("archive erase")).toEqual({ erased: true });
    const none = { isWrong: false, what: "the archive of the market holds 0 versions", advice: "" };
    expect(await found()).toEqual([none]);
  });
});

describe("the socket file", () => {
  test("is for this system user alone", async () => {
    expect((await stat(operatorSocketPath(world.dataDir))).mode & 0o777).toBe(0o600);
  });

  test("rejects malformed and oversized requests and keeps serving", async () => {
    const bad = { command: "toString", input: null } as unknown as Parameters<typeof askProduct>[0];
    expect(await askProduct(bad, world.dataDir)).toMatchObject({
      ok: false,
      error: '"toString" is no command',
    });
    const long = { command: "users", input: { padding: "x".repeat(100_000) } } as const;
    await expect(askProduct(long, world.dataDir)).resolves.toMatchObject({ ok: false });
    expect(await admin("users")).toMatchObject({ ok: true });
  });

  test("answers nobody where no product runs", async () => {
    await using folder = await temporaryFolder();
    await expect(askProduct({ command: "users", input: {} }, folder.path)).rejects.toThrow(ProductDown);
  });
});

describe("the command itself", () => {
  async function run(words: readonly string[], dataDir: string) {
    const env = { PATH: process.env["PATH"] ?? "", DATA_DIR: dataDir, PORT: "1024" };
    return promisify(execFile)(process.execPath, [ENTRY, ...words], { env }).then(
      ({ stdout }) => ({ code: 0, stdout, stderr: "" }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  }

  test("prints JSON when asked to, and ends with 0", async () => {
    const { code, stdout } = await run(["users", "--json"], world.dataDir);
    expect(code).toBe(0);
    expect(Array.isArray(JSON.parse(stdout))).toBe(true);
  });

  test("doctor says what is wrong when the product is down, and ends with 1", async () => {
    await using folder = await temporaryFolder();
    const { code, stdout } = await run(["doctor"], folder.path);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^WRONG {2}nobody answers on the operator's socket: .*npm start/);
    expect(stdout).toMatch(/^ok {5}settings$/m);
    expect(stdout).toMatch(/^ok {5}nobody uses the store$/m);
  });

  test("another command says that the product is down, and ends with 1", async () => {
    await using folder = await temporaryFolder();
    expect(await run(["users"], folder.path)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/does not run/) as string,
    });
  });

  test("an unknown command lists the valid ones and exits with 2", async () => {
    expect(await run(["fly"], "/tmp")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/"fly" is no command/) as string,
    });
  });
});
