/** `alerts`: alerts waiting and sent, by channel. */
import type { OperatorReport } from "#contract/operator.ts";
import { type OperatorDeps, textTable } from "./operator-deps.ts";

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
