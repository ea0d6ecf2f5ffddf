import { BuyButtonPicture } from "../preview/preview-card.tsx";
import "./picture.css";
import "./clicker-picture.css";

// As the product says them (presenters/purchase-texts.ts).
const ANSWERS = [
  { tone: "good", text: "Achat confirmé\u00A0: «\u00A0Robe satinée rouille\u00A0» (21,74 €)." },
  { tone: "wait", text: "Votre banque attend votre confirmation." },
  { tone: "bad", text: "Le prix a augmenté\u00A0: rien n'a été payé." },
  { tone: "bad", text: "Cet article est déjà vendu." },
] as const;

/** The life of the buy button, and the answers that can follow. */
export function ClickerPicture() {
  return (
    <figure
      className="picture clicker"
      aria-label="Les trois états du bouton Acheter et quatre réponses possibles"
    >
      <ol className="clicker__states" aria-hidden="true">
        <li>
          <BuyButtonPicture phase="idle" />
        </li>
        <li>
          <BuyButtonPicture phase="busy" />
        </li>
        <li>
          <BuyButtonPicture phase="bought" />
        </li>
      </ol>
      <ul className="clicker__answers">
        {ANSWERS.map(({ tone, text }) => (
          <li key={text} data-tone={tone}>
            {text}
          </li>
        ))}
      </ul>
    </figure>
  );
}
