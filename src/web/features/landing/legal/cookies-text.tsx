import { LegalSection } from "./legal-section.tsx";

export function CookiesText() {
  return (
    <>
      <p className="legal__lead">
        Deux cookies, tous deux nécessaires. Aucun traceur, aucune publicité, aucune mesure d'audience.
      </p>
      <LegalSection title="Les deux cookies">
        <dl>
          <div>
            <dt>
              <code>__Host-sid</code>, votre session
            </dt>
            <dd>
              Posé quand vous vous connectez. Il contient un numéro tiré au hasard, illisible par les scripts
              de la page et jamais envoyé depuis un autre site. Il cesse de valoir après 24 heures sans
              visite, 30 jours au plus, et aussitôt que vous vous déconnectez.
            </dd>
          </div>
          <div>
            <dt>
              <code>__Host-oauth</code>, le temps de la connexion
            </dt>
            <dd>
              Posé quand vous partez vous identifier chez Discord, pour reconnaître votre retour et refuser
              celui d'un imposteur. Il vit dix minutes au plus.
            </dd>
          </div>
        </dl>
      </LegalSection>
      <LegalSection title="Pourquoi pas de bandeau">
        <p>
          La loi demande un accord pour les cookies dont on peut se passer. Ceux-ci servent uniquement à vous
          connecter&nbsp;: sans eux, Synapse ne saurait pas qui vous êtes.
        </p>
      </LegalSection>
      <LegalSection title="Les préférences d'affichage">
        <p>
          Votre navigateur garde aussi quelques choix d'apparence&nbsp;: thème, grille ou liste, colonnes des
          filtres, son, raccourcis. Ils ne quittent pas votre appareil et ne disent rien de vos achats.
        </p>
      </LegalSection>
      <LegalSection title="S'en défaire">
        <p>
          Déconnectez-vous, ou effacez les données de ce site dans votre navigateur. L'achat automatique, lui,
          ne dépend d'aucun cookie&nbsp;: il s'arrête avec «&nbsp;Tout arrêter&nbsp;», dans le Panel.
        </p>
      </LegalSection>
    </>
  );
}
