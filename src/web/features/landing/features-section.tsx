import type { ReactNode } from "react";
import { AcquirePicture, ClickerPicture, SeekerPicture, ThunderPicture } from "./feature-pictures.tsx";
import { Icon } from "./icon.tsx";
import "./features-section.css";

export function FeaturesSection() {
  return (
    <section className="landing-section" id="features" aria-labelledby="features-title">
      <h2 className="landing-title" id="features-title">
        <span className="features__kicker dim" lang="en">
          Features
        </span>{" "}
        Quatre outils, aucune magie.
      </h2>
      <Feature
        id="seeker"
        name="Seeker"
        promise="Vos recherches, toujours ouvertes."
        does={[
          "Filtre par catégorie, marque, taille, état, couleur, prix, mots voulus et mots à éviter.",
          "Les annonces qui passent arrivent d'elles-mêmes, avec leur âge et le filtre qui les a trouvées.",
          "Un filtre reste privé, ou devient public\u00A0: on en partage les critères, jamais l'auteur.",
        ]}
        note="Ce que l'annonce ne dit pas (une taille, une marque) ne passe que si votre filtre le laisse ouvert. Mieux vaut un article de moins qu'un mauvais achat."
        picture={<SeekerPicture />}
      />
      <Feature
        id="clicker"
        name="Clicker"
        promise="Acheter sans quitter le flux."
        does={[
          "Paie avec le moyen de paiement de vos paramètres, livre au premier de vos points relais proposés, sinon chez vous.",
          "Compare le prix que vous avez vu au prix demandé\u00A0: s'il a monté, rien n'est payé.",
          "Répond en toutes lettres, jamais par un code d'erreur.",
        ]}
        note="Votre banque peut vouloir votre accord (3-D Secure). Le lien vous attend alors dans vos achats."
        picture={<ClickerPicture />}
      />
      <Feature
        id="acquire"
        name="Acquire"
        promise="L'achat automatique, avec des freins."
        does={[
          "Vous choisissez, filtre par filtre, ce qui peut être acheté seul, et jusqu'à quel prix.",
          "Plafonds par jour et par mois, livraison comprise. «\u00A0Tout arrêter\u00A0» agit en une seconde.",
          "En simulation, il décide et note, mais ne paie rien\u00A0: de quoi juger avant de confier un euro.",
        ]}
        note="Si une réponse se perd en route, Synapse relit vos commandes avant toute décision. Dans le doute, il ne paie pas une seconde fois."
        picture={<AcquirePicture />}
      />
      <Feature
        id="thunder"
        name="Thunder"
        promise="En tête de la file."
        does={[
          "Si plusieurs abonnés veulent le même article, Thunder passe avant tous les autres.",
          "Les rayons que surveillent ses filtres sont relus en priorité.",
          "Son support est prioritaire, lui aussi.",
        ]}
        note="Premier chez nous ne veut pas dire seul au monde. Synapse suit le rythme que la place de marché impose et ne contourne aucune de ses protections."
        picture={<ThunderPicture />}
      />
    </section>
  );
}

interface FeatureProps {
  readonly id: "seeker" | "clicker" | "acquire" | "thunder";
  readonly name: string;
  readonly promise: string;
  readonly does: readonly string[];
  /** Its limits and requirements. */
  readonly note: string;
  readonly picture: ReactNode;
}

function Feature({ id, name, promise, does, note, picture }: FeatureProps) {
  return (
    <article className="feature" id={id} aria-labelledby={`${id}-title`}>
      <h3 className="feature__name" id={`${id}-title`}>
        {name}
      </h3>
      <div className="feature__body stack">
        <div>
          <p className="feature__promise wide-voice">{promise}</p>
          <ul className="feature__list stack">
            {does.map((line) => (
              <li key={line}>
                <Icon name="check" />
                {line}
              </li>
            ))}
          </ul>
          <p className="feature__note dim">
            <strong className="strong">À savoir</strong> {note}
          </p>
        </div>
        {picture}
      </div>
    </article>
  );
}
