import { alerts } from "./alerts.ts";
import { answers } from "./answers.ts";
import { ledger } from "./ledger.ts";
import { decisions } from "./decisions.ts";
import { engine } from "./engine.ts";
import { feed } from "./feed.ts";
import { guards } from "./guards.ts";
import { market } from "./market.ts";
import { matching } from "./matching.ts";
import { panel } from "./panel.ts";
import { rules } from "./rules.ts";
import { sentences } from "./sentences.ts";
import type { Mutant } from "./mutant.ts";

export const planted: readonly Mutant[] = [
  ...alerts,
  ...answers,
  ...ledger,
  ...decisions,
  ...engine,
  ...feed,
  ...guards,
  ...market,
  ...matching,
  ...panel,
  ...rules,
  ...sentences,
];
