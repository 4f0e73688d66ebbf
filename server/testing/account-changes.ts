/** Changes of an account that take several calls and a mailed code, made as its person makes them. */
import type { Accounts, NetworkAccount } from './accounts.ts'
import { call, withMailedCode } from './call.ts'
import { serverAt } from './errors.ts'
import type { Host } from './host.ts'
import { createMail } from './mail.ts'

export interface AccountChanges {
  /** Turns the second factor by email on: the password alone is refused from now on, and mails a code. */
  requireMailedCode(handle: string): Promise<void>
  /** Moves an account to another server, where its handle is its first name. @param server position of that server */
  move(handle: string, server: number): Promise<NetworkAccount>
}

export function createAccountChanges(
  hosts: () => readonly Host[],
  accounts: Pick<Accounts, 'get' | 'add' | 'addressOf'>,
): AccountChanges {
  const mail = createMail(hosts, accounts)
  return {
    async requireMailedCode(name) {
      const { service, session, email } = await accounts.get(name)
      const post = (method: string, input?: object) =>
        call(service, `com.atproto.server.${method}`, { method: 'POST', token: session.accessJwt, input })
      await post('requestEmailConfirmation')
      await post('confirmEmail', { email, token: await mail.code(session.did) })
      await post('requestEmailUpdate')
      await post('updateEmail', { email, emailAuthFactor: true, token: await mail.code(session.did) })
    },
    async move(name, server) {
      const { did, handle: oldHandle, password } = await accounts.get(name)
      const host = serverAt(hosts(), server)
      const handle = `${oldHandle.split('.')[0]}.${host.domain}`
      const input = { identifier: did, handle, password, newPassword: password }
      const { accessJwt: token } = await withMailedCode(
        (factor) => call(host.url, 'com.core.move.moveIn', { input: { ...input, ...factor } }),
        () => mail.code(did),
      )
      const settled = async () => {
        await host.idle()
        return (await call(host.url, 'com.core.move.getMove', { token })).move
      }
      if ((await settled()).need === 'code') {
        const code = await mail.code(did)
        await call(host.url, 'com.core.move.continueMove', { input: { code }, token })
      }
      const { step, error, need } = await settled()
      if (step !== 'done') throw new Error(`${oldHandle} has not moved: ${error ?? `${step} needs ${need}`}`)
      accounts.add({ did, server })
      return accounts.get(did)
    },
  }
}
