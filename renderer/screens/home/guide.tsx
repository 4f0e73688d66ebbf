import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'
import { app, com } from '../../../lexicons/generated/index.ts'
import { makeAppPassword } from '../../api/app-passwords.ts'
import { birthDateIn } from '../../api/birth-date.ts'
import { callDesktop } from '../../api/desktop.ts'
import { endpoint } from '../../api/endpoint.ts'
import { keyOf, useXrpcQuery } from '../../api/hooks.ts'
import { useSession } from '../../api/sessions.ts'
import { desktop } from '../../bridge.ts'
import { BirthDateDialog } from '../../parts/account/birth-date-dialog.tsx'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CopyBlock, CopyField } from '../../ui/copy.tsx'
import { DialogButton } from '../../ui/dialog.tsx'
import { Notice } from '../../ui/states.tsx'
import { toastError } from '../../ui/toast.tsx'
import { Address } from './address.tsx'
import styles from './connect.module.css'

export type Client = keyof typeof t.connect.clients
/** Clients that sign in with an app password. */
export type PasswordClient = Exclude<Client, 'window' | 'oauth'>

interface PasswordProps {
  readonly password: string | undefined
  onMade(password: string): void
}

/** What to do in a client, with all that it asks for. */
export function Guide({ client, ...made }: PasswordProps & { readonly client: Client }) {
  switch (client) {
    case 'window':
      return <p>{t.connect.steps.window}</p>
    case 'official':
      return (
        <Steps>
          <Step text={t.connect.steps.official}>
            <OfficialLink />
          </Step>
          <Step text={t.connect.steps.provider}>
            <Address />
          </Step>
          <Step text={t.connect.steps.account}>
            <BirthDateNeed />
            <Credentials client={client} {...made} />
          </Step>
        </Steps>
      )
    case 'password':
      return (
        <Steps>
          <Step text={t.connect.steps.otherServer}>
            <Address />
          </Step>
          <Step text={t.connect.steps.account}>
            <Credentials client={client} {...made} />
          </Step>
        </Steps>
      )
    case 'oauth':
      return <OAuthGuide />
    default:
      return <CodeGuide client={client} {...made} />
  }
}

/** The app window opens no pages of others; the desktop opens this one in the browser. */
function OfficialLink() {
  const icon = <ExternalLink aria-hidden size={14} />
  if (desktop) {
    return (
      <Button icon={icon} onClick={() => void callDesktop('app.openPage', 'officialClient')}>
        {t.connect.openOfficial}
      </Button>
    )
  }
  return (
    <a className={styles.link} href="https://bsky.app" rel="noreferrer" target="_blank">
      {t.connect.openOfficial} {icon}
    </a>
  )
}

function OAuthGuide() {
  const { handle } = useSession()
  const isPublic = endpoint.startsWith('https:')
  return (
    <Steps>
      <Step text={isPublic ? t.connect.steps.oauthPublic : t.connect.steps.oauth}>
        <Address />
        {isPublic && <CopyField label={t.connect.copyHandle} name={t.ui.handle} text={handle} />}
      </Step>
      <Step text={t.connect.steps.allow} />
    </Steps>
  )
}

interface CodeGuideProps extends PasswordProps {
  readonly client: 'goat' | 'library' | 'curl'
}

function CodeGuide({ client, password, onMade }: CodeGuideProps) {
  const { did } = useSession()
  const text = codeOf[client](did, password ?? 'xxxx-xxxx-xxxx-xxxx')
  const isCode = client === 'library'
  return (
    <Steps>
      <Step text={isCode ? t.connect.steps.code : t.connect.steps.command}>
        {password === undefined ? (
          <MakePassword client={client} onMade={onMade} />
        ) : (
          <p>{t.connect.passwordHidden}</p>
        )}
        <CopyBlock label={isCode ? t.connect.copyCode : t.ui.copyCommand} text={text} wrap />
      </Step>
    </Steps>
  )
}

/** The DID works in each of them, also where a handle is looked up in the public network. */
const codeOf = {
  goat: (did: string, password: string) =>
    `goat account login --pds-host ${endpoint} -u ${did} -p ${password}`,
  library: (did: string, password: string) =>
    `import { AtpAgent } from '@atproto/api'

const agent = new AtpAgent({ service: '${endpoint}' })
await agent.login({ identifier: '${did}', password: '${password}' })
await agent.post({ text: 'Hello from my own server' })`,
  curl: (did: string, password: string) =>
    `curl ${endpoint}/xrpc/com.atproto.server.createSession --json '{"identifier":"${did}","password":"${password}"}'`,
}

function Steps({ children }: { readonly children: ReactNode }) {
  return <ol className={styles.steps}>{children}</ol>
}

function Step({ text, children }: { readonly text: string; readonly children?: ReactNode }) {
  return (
    <li>
      <p>{text}</p>
      {children}
    </li>
  )
}

/** Asked here: the app reads the date from the account, and cannot store one with an app password. */
function BirthDateNeed() {
  const { data } = useXrpcQuery(app.example.actor.getPreferences, {})
  if (!data || birthDateIn(data.preferences) !== undefined) return null
  const action = (
    <DialogButton dialog={(close) => <BirthDateDialog onClose={close} />} size="s">
      {t.birthDate.add}
    </DialogButton>
  )
  return <Notice action={action}>{t.connect.needsBirthDate}</Notice>
}

/** Handle and app password. */
function Credentials({ client, password, onMade }: PasswordProps & { readonly client: PasswordClient }) {
  const { handle } = useSession()
  return (
    <>
      <CopyField label={t.connect.copyHandle} name={t.ui.handle} text={handle} />
      {password === undefined ? (
        <MakePassword client={client} onMade={onMade} />
      ) : (
        <>
          <CopyField label={t.connect.copyPassword} name={t.appPasswords.value} text={password} />
          <p>{t.connect.passwordHidden}</p>
        </>
      )}
    </>
  )
}

interface MakePasswordProps extends Pick<PasswordProps, 'onMade'> {
  readonly client: PasswordClient
}

/** Makes an app password. One of the same kind that was never used is replaced: its secret is lost. */
function MakePassword({ client, onMade }: MakePasswordProps) {
  const { did } = useSession()
  const cache = useQueryClient()
  const make = useMutation({
    mutationFn: () => makeAppPassword(did, t.connect.appNames[client]),
    onSuccess: onMade,
    onError: toastError,
    onSettled: () => void cache.invalidateQueries({ queryKey: keyOf(did, com.core.server.listAppPasswords) }),
  })
  return (
    <Button busy={make.isPending} onClick={() => make.mutate()} variant="primary">
      {t.connect.makePassword}
    </Button>
  )
}
