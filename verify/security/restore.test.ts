import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { askProduct } from "#cli/ask-product.ts";
import { storeDirectory } from "#store/engines/embedded.ts";
import { keyFile } from "#store/vault/keys.ts";
import { startWorld } from "#verify/testing/world.ts";
import { temporaryFolder } from "#verify/testing/temporary-folder.ts";
import { preparedFolder } from "#verify/testing/test-store.ts";
import { figure } from "./figures.ts";

/** The steps of docs/operations.md, "Restore": an archive, the keys, an empty DATA_DIR. */
function restore(archive: string, keys: string | null, dataDir: string): void {
  mkdirSync(storeDirectory(dataDir), { recursive: true, mode: 0o700 });
  execFileSync("tar", ["-xzf", archive, "-C", storeDirectory(dataDir)], { stdio: "pipe" });
  if (keys !== null) cpSync(keys, keyFile(dataDir));
}

test("a backup opens in an empty data directory with its keys, and not without them", async () => {
  await using folder = await temporaryFolder();
  await using filled = await preparedFolder();
  const old = filled.path;
  const [fresh, keyless] = [join(folder.path, "fresh"), join(folder.path, "keyless")];
  const archive = join(folder.path, "copy.tar.gz");

  const before = await startWorld({ dataDir: old });
  const person = await before.signIn("thunder-sauve");
  await person.call("addFilter", { tag: "Sauvé", mots: ["rubis"], autobuy: true });
  await person.call("editSettings", { relais: ["Chez Sauve"] });
  await before.sandbox.publish({ title: "Un rubis", price: 5 });
  await expect.poll(async () => (await person.call("purchases")).purch[0]?.status).toBe(1);
  const saved = {
    filters: await person.call("filters"),
    settings: await person.call("settings"),
    purchases: await person.call("purchases"),
  };
  const answer = await askProduct({ command: "backup", input: { file: archive } }, old);
  expect(answer).toMatchObject({ ok: true });
  await person.call("addFilter", { tag: "Après la copie" });
  await before[Symbol.asyncDispose]();

  restore(archive, keyFile(old), fresh);
  // The marketplace is a separate system and kept its data.
  cpSync(join(old, "sandbox"), join(fresh, "sandbox"), { recursive: true });
  const after = await startWorld({ dataDir: fresh });
  const again = await after.signIn("thunder-sauve");
  expect({
    filters: await again.call("filters"),
    settings: await again.call("settings"),
    purchases: (await again.call("purchases")).purch.map(({ _id, status }) => [_id, status]),
  }).toEqual({ ...saved, purchases: saved.purchases.purch.map(({ _id, status }) => [_id, status]) });
  const verdict = await askProduct({ command: "doctor", input: {} }, fresh);
  expect(JSON.stringify(verdict)).toContain("the audit log is as it was written");
  expect(JSON.stringify(verdict)).toContain("the books of money agree");
  await after[Symbol.asyncDispose]();

  restore(archive, null, keyless);
  await expect(startWorld({ dataDir: keyless })).rejects.toMatchObject({ code: "keys_missing" });
  figure(
    "backup and restore",
    "restored into an empty folder: filters, settings, purchases, audit and books whole; refused without its keys",
  );
});

test("a restored product without buying is stopped and erases again who had left, before it buys", async () => {
  await using folder = await preparedFolder();
  const before = await startWorld({ dataDir: folder.path });
  for (const name of ["thunder-parti", "thunder-reste"]) {
    const person = await before.signIn(name);
    await person.call("addFilter", { tag: "Ambre", mots: ["ambre"], autobuy: true });
  }
  await before[Symbol.asyncDispose]();
  const admin = async (command: "stop" | "erase" | "users", input: { readonly name?: string }) =>
    await askProduct({ command, input }, folder.path);

  const quiet = await startWorld({ dataDir: folder.path, env: { SERVICES: "sandbox,feed,match" } });
  await quiet.sandbox.publish({ title: "Un ambre", price: 5 });
  expect(await admin("stop", {})).toMatchObject({ ok: true });
  expect(await admin("erase", { name: "thunder-parti" })).toMatchObject({ ok: true });
  expect(quiet.logged).toContainEqual(expect.objectContaining({ message: "a person is erased" }));
  expect(await quiet.sandbox.orders()).toEqual([]);
  await quiet[Symbol.asyncDispose]();

  const after = await startWorld({ dataDir: folder.path });
  await after.sandbox.publish({ title: "Un autre ambre", price: 5 });
  const staying = await after.signIn("thunder-reste");
  const tab = after.openTab(staying);
  await expect.poll(() => tab.items.map(({ title }) => title)).toContain("Un autre ambre");
  expect(await admin("users", {})).toMatchObject({ data: [{ login: "thunder-reste" }] });
  expect((await staying.call("purchases")).purch).toEqual([]);
  expect(await after.sandbox.orders()).toEqual([]);
  await after[Symbol.asyncDispose]();
});
