import { LegalSection } from "./legal-section.tsx";
import { SupportLink } from "./support-link.tsx";

export function CareersText() {
  return (
    <>
      <p className="legal__lead">Aucun poste n'est ouvert en ce moment.</p>
      <LegalSection title="Nous préférons le dire">
        <p>
          Synapse est en bêta privée et ne recrute pas. Quand un poste s'ouvrira, il sera décrit ici, avec le
          travail à faire et la façon de postuler.
        </p>
      </LegalSection>
      <LegalSection title="Aider quand même">
        <p>
          Le plus utile aujourd'hui est un bon signalement&nbsp;: ce que vous vouliez faire, ce qui s'est
          passé, à quelle heure. Envoyez-le à <SupportLink />.
        </p>
      </LegalSection>
    </>
  );
}
