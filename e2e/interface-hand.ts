/** Whether a press buys the intended card while listings arrive: mouse, touch and keyboard at three rates. */
import type { Browser } from "@playwright/test";
import { INPUTS, openSimulatedUser, startArrivals, type Input, type Tally } from "./simulated-user.ts";
import type { Figure } from "./interface-figures.ts";
import type { Product } from "./product.ts";

const RATES_PER_SECOND = [1, 3, 20] as const;
/** Presses at each rate, shared by the inputs. */
const PRESSES = Number(process.env["HAND_PRESSES"] ?? "90");
/** Gives up after this many consecutive failures: the machine is too slow, or nothing is on sale. */
const MOST_FAILED = 100;
/** Concurrent people per input, who share its presses. */
const USERS_PER_INPUT = 3;

interface Stage {
  readonly browser: Browser;
  readonly product: Product;
}

/** The figures of one rate after the other. */
export async function* aimFigures(stage: Stage): AsyncGenerator<Figure> {
  for (const perSecond of RATES_PER_SECOND) yield* await aimFiguresAt(stage, perSecond);
}

async function aimFiguresAt(stage: Stage, perSecond: number): Promise<readonly Figure[]> {
  const arrivals = startArrivals(stage.product, perSecond);
  const tallies = await Promise.all(INPUTS.map((input) => tallyOf(stage, input, perSecond)));
  await arrivals.stop();
  const details = tallies.map(
    ({ right, wrong, refused }, place) =>
      `${INPUTS[place] ?? ""}: ${right} bought what was aimed at, ${wrong} another, ${refused} nothing`,
  );
  return [
    {
      name: `wrong purchases of ${PRESSES} presses by mouse, touch and keyboard, ${perSecond} new/s`,
      value: tallies.reduce((sum, { wrong }) => sum + wrong, 0),
      unit: "",
      bar: { atMost: 0 },
      details,
    },
    // A page that takes no press of an input has no wrong purchases by it.
    {
      name: `purchases of what was aimed at, by the input with the fewest, ${perSecond} new/s`,
      value: Math.min(...tallies.map(({ right }) => right)),
      unit: "",
      bar: { atLeast: 1 },
    },
  ];
}

async function tallyOf({ browser, product }: Stage, input: Input, perSecond: number): Promise<Tally> {
  const tally: Tally = { right: 0, wrong: 0, refused: 0 };
  let left = Math.ceil(PRESSES / INPUTS.length);
  const work = async (user: number): Promise<void> => {
    const name = `visee-${perSecond}-${input}-${user}`;
    const person = await openSimulatedUser({ browser, product, input, name });
    let failedCount = 0;
    while (left > 0) {
      left -= 1;
      const isPressed = await person.press(tally);
      failedCount = isPressed ? 0 : failedCount + 1;
      if (!isPressed) left += 1;
      if (failedCount >= MOST_FAILED)
        throw new Error(`${name}: ${failedCount} presses in a row came to nothing`);
    }
    await person.close();
  };
  await Promise.all(Array.from({ length: USERS_PER_INPUT }, (_, user) => work(user)));
  return tally;
}
