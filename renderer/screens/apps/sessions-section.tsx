import { AppWindow, KeyRound, Monitor } from 'lucide-react'
import { com } from '../../../lexicons/generated/index.ts'
import { type Body, callAs } from '../../api/client.ts'
import { allowedAppName } from '../../parts/apps/app-name.ts'
import { clientName } from '../../parts/apps/client-name.ts'
import { scopeWords } from '../../parts/apps/scopes.ts'
import { useDialogWork } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { ConfirmDialog, DialogButton } from '../../ui/dialog.tsx'
import { FilteredRows } from '../../ui/filtered-rows.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { Badge } from '../../ui/states.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { UnusedButton } from './unused.tsx'
import { Uses } from './uses.tsx'

export type OpenSession = Body<typeof com.core.server.listSessions.main>['sessions'][number]

const { listSessions, revokeSession } = com.core.server

interface SessionsSectionProps {
  readonly sessions: readonly OpenSession[]
}

/** The apps that were allowed to use the account, by OAuth. */
export function AllowedAppsSection({ sessions }: SessionsSectionProps) {
  return (
    <Section
      action={
        <UnusedButton
          end={(did, { id }) => callAs(did, revokeSession, { body: { id } })}
          items={sessions}
          nameOf={nameOf}
          words={t.apps.unused}
        />
      }
      lead={t.apps.allowedLead}
      title={t.apps.allowed}
    >
      {sessions.length === 0 ? (
        <Panel padded>{t.apps.noneAllowed}</Panel>
      ) : (
        <SessionList label={t.apps.allowed} sessions={sessions} />
      )}
    </Section>
  )
}

/** The sessions that were opened with a password. */
export function SessionsSection({ sessions }: SessionsSectionProps) {
  const others = sessions.filter(({ current }) => !current)
  return (
    <Section
      action={
        others.length > 0 && (
          <DialogButton dialog={(close) => <EndDialog onClose={close} sessions={others} />}>
            {t.sessions.endOthers}
          </DialogButton>
        )
      }
      lead={t.sessions.lead}
      title={t.sessions.title}
    >
      <SessionList label={t.sessions.title} sessions={sessions} />
    </Section>
  )
}

function SessionList({ label, sessions }: SessionsSectionProps & { readonly label: string }) {
  return (
    <FilteredRows
      items={currentFirst(sessions)}
      label={label}
      textOf={(session) => `${nameOf(session)} ${openedText(session)}`}
    >
      {(session) => <SessionRow key={session.id} session={session} />}
    </FilteredRows>
  )
}

function currentFirst(sessions: readonly OpenSession[]): OpenSession[] {
  return sessions.toSorted((a, b) => Number(b.current) - Number(a.current))
}

function SessionRow({ session }: { readonly session: OpenSession }) {
  const { client, current, createdAt, lastUsedAt, oldTokenUsedAt, scope, uses = [] } = session
  const name = nameOf(session)
  return (
    <Row
      action={
        !current && (
          <DialogButton
            aria-label={t.sessions.endLabel(name)}
            dialog={(close) => <EndDialog onClose={close} sessions={[session]} />}
            size="s"
          >
            {t.sessions.end}
          </DialogButton>
        )
      }
      as="li"
      detail={
        <>
          {t.sessions.opened} <RelativeTime at={createdAt} /> {openedText(session)}
          {' · '}
          {t.ui.lastUsed} <RelativeTime at={lastUsedAt} />
          {scope !== undefined && <div>{t.apps.may(t.scopes.all(scopeWords(scope)))}</div>}
          {oldTokenUsedAt && (
            <div>
              {t.sessions.oldTokenUsed} <RelativeTime at={oldTokenUsedAt} />. {t.sessions.oldTokenCauses}{' '}
              {current ? t.sessions.oldTokenSignOut : t.sessions.oldTokenEnd}
            </div>
          )}
        </>
      }
      icon={<SessionIcon session={session} />}
      more={<Uses uses={uses} />}
      title={
        <>
          <span title={session.app ?? client}>{name}</span>{' '}
          {current && <Badge variant="good">{t.sessions.current}</Badge>}{' '}
          {oldTokenUsedAt && <Badge variant="warn">{t.sessions.oldToken}</Badge>}
        </>
      }
    />
  )
}

function nameOf({ app, client }: Pick<OpenSession, 'app' | 'client'>): string {
  if (app === undefined) return clientName(client)
  return allowedAppName(app)
}

function openedText({ app, appPasswordName }: OpenSession): string {
  if (app !== undefined) return t.sessions.byApp
  return appPasswordName === undefined ? t.sessions.withPassword : t.sessions.withAppPassword(appPasswordName)
}

function SessionIcon({ session: { app, appPasswordName } }: { readonly session: OpenSession }) {
  const Icon = app !== undefined ? AppWindow : appPasswordName === undefined ? Monitor : KeyRound
  return <Icon aria-hidden size={20} strokeWidth={1.75} />
}

interface EndDialogProps {
  readonly sessions: readonly OpenSession[]
  onClose(): void
}

/** Asks for confirmation before ending one or more sessions. */
function EndDialog({ sessions, onClose }: EndDialogProps) {
  const isOne = sessions.length === 1
  const end = useDialogWork({
    run: (_, did) => Promise.all(sessions.map(({ id }) => callAs(did, revokeSession, { body: { id } }))),
    invalidates: [listSessions],
    done: isOne ? t.sessions.ended : t.sessions.endedOthers(sessions.length),
    onClose,
  })
  return (
    <ConfirmDialog
      {...end}
      action={t.sessions.end}
      title={isOne ? t.sessions.endTitle : t.sessions.endOthersTitle}
    >
      {isOne ? t.sessions.endText(nameOf(sessions[0] ?? {})) : t.sessions.endOthersText(sessions.length)}
    </ConfirmDialog>
  )
}
