import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { errorName } from '../../api/call-errors.ts'
import { type Body, call, callAs } from '../../api/client.ts'
import { keyOf, usePublicXrpcQuery } from '../../api/hooks.ts'
import { useMaybeSession, useSessions } from '../../api/sessions.ts'
import type { Session } from '../../api/vault.ts'
import { desktop } from '../../bridge.ts'
import { appName } from '../../parts/apps/app-name.ts'
import { openAnswer } from '../../parts/apps/open-answer.ts'
import { scopeWords } from '../../parts/apps/scopes.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Panel, Stack, useTitle } from '../../ui/page.tsx'
import { useSettled } from '../../ui/settled.ts'
import { Loaded, Notice } from '../../ui/states.tsx'
import styles from './authorize.module.css'
import { EntranceForm } from './entrance-form.tsx'
import { SignIn } from './sign-in.tsx'

const { decideRequest, declineSilentRequest, getRequest, waitForApproval } = com.core.oauth

type Request = Body<typeof getRequest.main>

interface RequestProps {
  readonly request: Request
}

/** Milliseconds between questions whether a request was answered in the app window. */
const pollMs = 2000

/** The page to which an app sends the browser: a person allows or denies its request. */
export function Authorize({ id }: { readonly id: string }) {
  const request = usePublicXrpcQuery(getRequest, { id }, { staleTime: Number.POSITIVE_INFINITY })
  if (request.isError) return <Ended text={t.authorize.expired} title={t.authorize.unknownTitle} />
  return <Loaded query={request}>{(data) => <Decision request={data} />}</Loaded>
}

function Ended({ title, text }: { readonly title: string; readonly text: string }) {
  useTitle(title)
  return (
    <>
      <h1 tabIndex={-1}>{title}</h1>
      <Notice live variant="warn">
        {text}
      </Notice>
    </>
  )
}

function Decision({ request }: RequestProps) {
  const [isWaiting, setWaiting] = useState(false)
  /** The account that signed in on this page. */
  const [signedIn, setSignedIn] = useState<string>()
  const current = useMaybeSession()
  const named = useSessions().filter((session) => isNamed(session, request.loginHint))
  const accounts = named.filter(({ did }) => request.signedInAfter === undefined || did === signedIn)
  const first = named.find(({ did }) => did === current?.did) ?? named[0]
  const isDeclined = useSilentAnswer(request, first?.did)
  if (isWaiting) return <Waiting onBack={() => setWaiting(false)} request={request} />
  if (!isDeclined) return null
  if (accounts.length > 0 && first) return <Consent accounts={accounts} first={first} request={request} />
  return (
    <>
      <SignIn identifier={request.loginHint} lead={leadOf(request)} onSignedIn={setSignedIn} />
      {!desktop && request.signedInAfter === undefined && <InApp onChosen={() => setWaiting(true)} />}
    </>
  )
}

function isNamed({ did, handle, email }: Session, loginHint: string | undefined): boolean {
  return loginHint === undefined || [did.toLowerCase(), handle, email?.toLowerCase()].includes(loginHint)
}

function leadOf(request: Request): string {
  const name = appName(request)
  if (request.signedInAfter !== undefined) return t.authorize.signInAgain(name)
  return request.loginHint === undefined
    ? t.authorize.signInFirst(name)
    : t.authorize.signInAs(name, request.loginHint)
}

/** Returns to an app that asked for `prompt=none`, if the account has allowed it before. @returns whether to show the page */
function useSilentAnswer({ id, isSilent = false }: Request, did: string | undefined): boolean {
  const answer = useQuery({
    queryKey: ['silent answer', id, did],
    async queryFn() {
      const { location } = await callAs(did ?? '', declineSilentRequest, { body: { id } })
      if (location !== undefined) await openAnswer(location)
      return location !== undefined
    },
    enabled: isSilent && did !== undefined,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return !isSilent || did === undefined || answer.isError || answer.data === false
}

function InApp({ onChosen }: { onChosen(): void }) {
  return (
    <Panel padded>
      <Stack>
        <Button onClick={onChosen}>{t.authorize.inApp}</Button>
        <p>{t.authorize.inAppText}</p>
      </Stack>
    </Panel>
  )
}

/** Shows the number until the request is answered. The answer goes to the app window, which opens it in a new tab. */
function Waiting({ request: { id }, onBack }: RequestProps & { onBack(): void }) {
  const number = useQuery({
    queryKey: keyOf('', getRequest, { id }).concat('number'),
    queryFn: () => call(waitForApproval, { body: { id } }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const open = useQuery({
    queryKey: keyOf('', getRequest, { id }).concat('open'),
    queryFn: () => call(getRequest, { params: { id } }),
    refetchInterval: ({ state }) => (isOver(state.error) ? false : pollMs),
    refetchIntervalInBackground: true,
    retry: false,
  })
  if (isOver(number.error) || isOver(open.error))
    return <Ended text={t.authorize.answeredText} title={t.authorize.answered} />
  return (
    <>
      <h1 tabIndex={-1}>{t.authorize.inApp}</h1>
      <Stack>
        <p>{t.authorize.waiting}</p>
        <p aria-label={t.authorize.number} className={styles.number} role="status">
          {number.data?.number}
        </p>
        <Button onClick={onBack}>{t.authorize.signInHere}</Button>
      </Stack>
    </>
  )
}

function isOver(error: Error | null): boolean {
  return errorName(error) === 'RequestNotFound'
}

interface ConsentProps extends RequestProps {
  readonly accounts: readonly Session[]
  /** The account that is chosen at first. */
  readonly first: Session
}

function Consent({ request, accounts, first }: ConsentProps) {
  const [did, setDid] = useState(first.did)
  const isSettled = useSettled()
  const { id } = request
  const name = appName(request)
  const decide = useMutation({
    async mutationFn(isAllowed: boolean) {
      const { location } = await callAs(did, decideRequest, { body: { id, isAllowed } })
      await openAnswer(location)
    },
  })
  return (
    <EntranceForm
      action={t.authorize.allow}
      busy={decide.isPending || decide.isSuccess || !isSettled}
      error={decide.error}
      links={
        <Button busy={decide.isPending || decide.isSuccess} onClick={() => decide.mutate(false)}>
          {t.authorize.deny}
        </Button>
      }
      onSubmit={() => decide.mutate(true)}
      title={t.authorize.title(name)}
    >
      {request.isLocal && (
        <Notice variant="warn">
          {request.isFromHere ? t.authorize.hereText : t.authorize.elsewhereText}
        </Notice>
      )}
      <SelectField
        label={t.authorize.account}
        onChange={(chosen) => setDid(chosen as Session['did'])}
        options={Object.fromEntries(accounts.map((session) => [session.did, session.handle]))}
        value={did}
      />
      <RequestedScopes request={request} />
      <p className="soft">{t.authorize.end}</p>
    </EntranceForm>
  )
}

/** The permissions that the app requests, and the address that it claims. */
function RequestedScopes({ request: { scope, client, redirectTo, isLocal } }: RequestProps) {
  return (
    <Panel padded>
      <Stack>
        <div>
          <h2 className={styles.label}>{t.authorize.may}</h2>
          <ul className={styles.scopes}>
            {scopeWords(scope).map((words) => (
              <li key={words}>{words}</li>
            ))}
          </ul>
        </div>
        <dl className={styles.facts}>
          {!isLocal && (
            <>
              <dt>{t.authorize.client}</dt>
              <dd>{client.replace(/\?.*$/, '')}</dd>
            </>
          )}
          <dt>{t.authorize.returnsTo}</dt>
          <dd>{redirectTo}</dd>
        </dl>
      </Stack>
    </Panel>
  )
}
