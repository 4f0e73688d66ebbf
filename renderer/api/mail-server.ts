/** The mail server: that of the desktop, whose keyring has its password, or in a browser the one that the server keeps for its owner. */
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import type { MailServer, MailServerProblems } from '../../electron/ground/bridge.ts'
import { com } from '../../lexicons/generated/index.ts'
import { desktop } from '../bridge.ts'
import { useIsOwner } from './account.ts'
import { callAs } from './client.ts'
import { callDesktop, keyOf as desktopKeyOf } from './desktop.ts'
import { isAtServer } from './endpoint.ts'
import { keyOf } from './hooks.ts'
import type { Proof } from './passkeys.ts'
import { untilAnswer } from './restarts.ts'
import { useMaybeSession } from './sessions.ts'

const { getMailServer, testMailServer, updateMailServer } = com.core.admin

export interface MailView {
  readonly mail: MailServer
  /** The password itself is never returned. */
  readonly hasPassword: boolean
  /** The flag or the variable of the command that sets it, so that it cannot be changed. */
  readonly fixedBy?: string | undefined
}

/** What is saved or tried. @property password undefined for the one that is kept, empty for none */
export interface MailInput {
  readonly mail: MailServer
  readonly password: string | undefined
}

export interface MailCalls {
  /** The server has started again when it resolves. @returns a sentence per field with a problem */
  save(input: MailInput, proof: Proof | undefined): Promise<MailServerProblems>
  /** Sends a test message. */
  test(input: MailInput, to: string, proof: Proof | undefined): Promise<unknown>
}

/** The mail server of the next start. */
export const useMailServer = desktop ? useDesktopMail : useServerMail

function useDesktopMail(): UseQueryResult<MailView> {
  return useQuery({
    queryKey: desktopKeyOf('settings.view'),
    queryFn: () => callDesktop('settings.view'),
    select: ({ mail, hasMailPassword }) => ({ mail, hasPassword: hasMailPassword }),
    networkMode: 'always',
  })
}

/** On another computer than that of the server the query is disabled. */
function useServerMail(): UseQueryResult<MailView> {
  const { did = '' } = useMaybeSession() ?? {}
  const isOwner = useIsOwner()
  return useQuery({
    queryKey: keyOf(did, getMailServer),
    queryFn: ({ signal }) => callAs(did, getMailServer, { signal }),
    select: ({ mailServer, ...view }) => ({ ...view, mail: mailServer as MailServer }),
    enabled: isOwner && isAtServer,
    // The server starts again with what another page has saved.
    refetchOnReconnect: 'always',
  })
}

/** The calls take a proof in a browser. The app window, which can read all data, needs none. */
export function useMailCalls(): MailCalls {
  const { did = '' } = useMaybeSession() ?? {}
  const client = useQueryClient()
  return {
    async save(given, proof) {
      const input = trimmed(given)
      try {
        if (desktop) return await callDesktop('mail.change', input.mail, input.password)
        return await saveOnServer(did, input, proof)
      } finally {
        const queryKey = desktop ? desktopKeyOf('settings.view') : keyOf(did, getMailServer)
        await client.invalidateQueries({ queryKey })
      }
    },
    test(given, to, proof) {
      const input = trimmed(given)
      return desktop
        ? callDesktop('mail.test', input.mail, input.password, to)
        : callAs(did, testMailServer, { body: { ...bodyOf(input), to, ...proof } })
    },
  }
}

/** Spaces around a text come from where it was copied; those of a password may belong to it. */
function trimmed({ mail, password }: MailInput): MailInput {
  const { host, port, user, from } = mail
  const texts = { host: host.trim(), port: port.trim(), user: user.trim(), from: from.trim() }
  return { mail: { ...mail, ...texts }, password }
}

const bodyOf = ({ mail, password }: MailInput) => ({ mailServer: mail, mailPassword: password })

async function saveOnServer(
  did: string,
  input: MailInput,
  proof: Proof | undefined,
): Promise<MailServerProblems> {
  const { problems } = await callAs(did, updateMailServer, { body: { ...bodyOf(input), ...proof } })
  if (problems.length === 0) {
    await untilAnswer(
      () => callAs(did, getMailServer, {}),
      ({ waiting }) => !waiting,
    )
  }
  return Object.fromEntries(problems.map(({ field, problem }) => [field, problem]))
}
