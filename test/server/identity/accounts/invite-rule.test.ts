/** When an account needs an invite code: by default once others than this computer can reach the server. */
import { afterEach, expect, test } from 'vitest'
import { checkSignUp } from '../../../../server/operation/doctor/sign-up.ts'
import type { Config } from '../../../../server/platform/config/config.ts'
import { adminAuth, refusal, TestServer } from '../../../support/server/server.ts'

let server: TestServer
afterEach(() => server.close())

const signUp = (handle: string, inviteCode?: string) =>
  server.post('com.core.server.createAccount', { handle, password: 'a good password', inviteCode })

const closed: Partial<Config> = { publicUrl: undefined, hosts: ['127.0.0.1'] }
const cases: [string, Partial<Config>, boolean][] = [
  ['auto, this computer only', { ...closed, inviteRequired: 'auto' }, false],
  ['auto, on the network', { ...closed, inviteRequired: 'auto', hosts: ['0.0.0.0'] }, true],
  ['auto, with a public address', { inviteRequired: 'auto' }, true],
  ['on, this computer only', { ...closed, inviteRequired: 'on' }, true],
  ['off, with a public address', { inviteRequired: 'off' }, false],
]

test.each(cases)(
  '%s: sign-up, describeServer and the check of the network agree',
  async (_, config, isRequired) => {
    server = await TestServer.start(config)
    // The first account never needs one.
    expect((await signUp('alice.test')).status).toBe(200)
    const { body } = await server.get('com.core.server.describeServer')
    expect(body.inviteCodeRequired).toBe(isRequired)
    const second = await signUp('bob.test')
    if (!isRequired) expect(second.status).toBe(200)
    else {
      expect(second).toMatchObject(refusal(400, 'InvalidInviteCode'))
      const created = await server.post('com.core.server.createInviteCode', { useCount: 1 }, adminAuth)
      expect((await signUp('bob.test', created.body.code)).status).toBe(200)
    }
    expect(checkSignUp(server.config).state).toBe(isRequired ? 'ok' : 'warning')
  },
)

test('auto is the default', async () => {
  server = await TestServer.start()
  const { defaultConfig } = await import('../../../../server/platform/config/config.ts')
  expect(defaultConfig({ dataDir: server.config.dataDir }).inviteRequired).toBe('auto')
})
