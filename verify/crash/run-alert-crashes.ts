/**
 * `npm run crash -- alerts`: kill -9 of the alert sender and of each of two nodes: none lost, at most one
 * doubled per kill and destination. `--kills N` (200), `--alerts N` (10000), `--seed N`, `--no-nodes`.
 */
import { parseArgs } from "node:util";
import { killSender } from "#alerts/killed-alerts.suite.ts";
import { createFakeRandom } from "#verify/testing/fake-random.ts";
import { endNodes } from "#server/alerts-failover.suite.ts";

const { values: options } = parseArgs({
  options: {
    kills: { type: "string", default: "200" },
    alerts: { type: "string", default: "10000" },
    seed: { type: "string", default: String(Math.floor(Date.now() / 86_400_000)) },
    "no-nodes": { type: "boolean", default: false },
  },
});
const DEVICES = 5;
const LISTINGS = 100;
const DEATHS = 2;

process.stdout.write(`seed ${options.seed}\n`);
const random = createFakeRandom(Number(options.seed));
const killed = await killSender(
  { kills: Number(options.kills), alerts: Number(options.alerts) },
  () => random.next(),
  (kills, arrived) => {
    if (kills % 20 === 0) process.stdout.write(`${kills} kills, ${arrived} alerts have arrived\n`);
  },
);
process.stdout.write(
  `${killed.kills} kills (${killed.killsAtWork} at work), ${killed.alerts} alerts: ${killed.lost} lost, ` +
    `${killed.doubled} doubled, at most ${killed.mostDoubled} a destination and kill\n`,
);
let isWell = killed.lost === 0 && killed.mostDoubled <= 1;
if (!options["no-nodes"]) {
  const people = Math.ceil(Number(options.alerts) / DEVICES / LISTINGS);
  const over = await endNodes({ people, devices: DEVICES, listings: LISTINGS });
  process.stdout.write(
    `two nodes, each dies once, ${over.alerts} alerts: ${over.lost} lost, ${over.doubled} doubled, ` +
      `at most ${over.mostDoubled} a destination\n`,
  );
  isWell &&= over.lost === 0 && over.mostDoubled <= DEATHS;
}
process.exitCode = isWell ? 0 : 1;
