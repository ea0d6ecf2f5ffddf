/** `alerts` and `archive`: the figures of both, and the deletion of the archive. */
import type { OperatorInput, OperatorReport } from "#contract/operator.ts";
import { type OperatorDeps, textTable, utcText } from "./operator-deps.ts";

/** The archive's figures, or its deletion. */
export async function showArchive(
  { action }: OperatorInput<"archive">,
  { memory, store, events, clock }: Pick<OperatorDeps, "memory" | "store" | "events" | "clock">,
): Promise<OperatorReport> {
  if (action === "erase") {
    await memory.erase();
    // Another node may be the one that reads the market.
    await events.publish({ kind: "archive_erased" });
    await store.audit.append({
      atMs: clock.nowMs(),
      kind: "admin_archive_erase",
      userId: null,
      details: {},
    });
    return {
      lines: ["the archive of the market is deleted, with its coverage and its secret"],
      data: { erased: true },
    };
  }
  const facts = await memory.facts();
  const data = {
    ready: facts.isReady,
    since: facts.sinceMs,
    days: facts.days,
    versions: facts.versions,
    listings: facts.listings,
    bytes: facts.bytes,
    bytes_per_version: Math.round(facts.bytesPerVersion * 10) / 10,
    cells: facts.cells,
    book_bytes: facts.bookBytes,
    example_versions: facts.exampleVersions,
  };
  const since = facts.sinceMs === null ? "nothing yet" : `since ${utcText(facts.sinceMs)}`;
  return {
    lines: [
      `${since}, days with readings: ${data.days}`,
      `${data.versions} versions of ${data.listings} listings, ${data.example_versions} of them made up by the sandbox`,
      `${data.bytes} bytes on disk, ${data.bytes_per_version} for a version`,
      data.cells === null
        ? "the usual prices are kept by the node that reads the market"
        : `${data.cells} cells of usual prices in ${data.book_bytes} bytes${data.ready ? "" : ", not complete yet"}`,
    ],
    data,
  };
}

/** Alerts waiting and sent, by channel. */
export async function reportAlerts({ alerts }: Pick<OperatorDeps, "alerts">): Promise<OperatorReport> {
  const data = (await alerts.statistics()).map(({ channel, waiting, oldestMs, sent, failed, lost }) => ({
    channel,
    waiting,
    oldest_s: Math.round(oldestMs / 1_000),
    sent,
    failed,
    lost,
  }));
  const rows = data.map((row) => Object.values(row).map(String));
  const heading = ["channel", "waiting", "oldest_s", "sent", "failed", "lost"];
  return { lines: data.length === 0 ? ["no alerts yet"] : textTable([heading, ...rows]), data };
}
