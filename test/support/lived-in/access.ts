/** Every way into a lived-in account: app passwords, second factors, apps, devices, mailed codes. */
import { TOTP } from 'otpauth'
import { App, type Tokens } from '../accounts/oauth-app.ts'
import { PasskeyDevice } from '../accounts/passkey.ts'
import { minute } from '../server/clock.ts'
import type { Account } from '../server/server.ts'
import { server, social } from '../server/setup.ts'
import { body } from '../server/social.ts'
import type { PushService } from '../services/push-service.ts'
import { people } from './people.ts'

const call = async (nsid: string, input: object | undefined, account: Account) =>
  body(await server.post(nsid, input, account))

/** Makes an app password of each kind, and writes with those that may. @returns the passwords */
export async function addAppPasswords(): Promise<string[]> {
  const { ann } = people
  const kinds = [
    {},
    { privileged: true },
    { limit: 'readOnly' },
    { limit: 'postsOnly' },
    { limit: 'noDeletion' },
  ]
  const passwords: string[] = []
  for (const [number, kind] of kinds.entries()) {
    const made = await call('com.core.server.createAppPassword', { name: `app ${number}`, ...kind }, ann)
    passwords.push(made.password)
    const session = body(await server.signIn({ ...ann, password: made.password }))
    await server.get('app.example.feed.getTimeline', {}, session)
    if (made.limit !== 'readOnly') await social.post({ ...ann, ...session }, { text: `by app ${number}` })
  }
  return passwords
}

export interface Factors {
  /** Returns a code of the authenticator app. */
  readonly code: () => string
  readonly recoveryCodes: readonly string[]
}

/** Turns on an authenticator app, a passkey and codes by email, and uses the first two. */
export async function addFactors(): Promise<Factors> {
  const { ann } = people
  const { password } = ann
  const page = { origin: `http://localhost:${server.running.port}` }
  const started = await call('com.core.factor.startTotp', { password }, ann)
  const totp = new TOTP({ secret: started.secret })
  const code = () => totp.generate({ timestamp: server.clock.now().getTime() })
  const named = { id: started.id, name: 'Phone', code: code() }
  const { recoveryCodes } = await call('com.core.factor.confirmTotp', named, ann)
  const device = new PasskeyDevice()
  server.clock.advance(minute)
  const proof = { password, authFactorToken: code() }
  const { options } = await call('com.core.factor.startPasskey', proof, ann)
  await call('com.core.factor.addPasskey', { name: 'Laptop', response: device.create(options, page) }, ann)
  await server.confirmEmail(ann)
  await call('com.core.server.requestEmailUpdate', undefined, ann)
  const update = { email: ann.email, emailAuthFactor: true, token: await server.codeTo(ann.email) }
  await call('com.core.server.updateEmail', update, ann)
  server.clock.advance(minute)
  body(await server.signIn(ann, { authFactorToken: code() }))
  const challenge = body(await server.post('com.core.factor.challengePasskey')).options
  const answer = { response: device.use(challenge, page) }
  const { token } = body(await server.post('com.core.factor.provePasskey', answer))
  body(await server.signIn(ann, { authFactorToken: token }))
  return { code, recoveryCodes }
}

/** Signs an app in that writes, and leaves a request that was allowed and one that waits. */
export async function addApps(): Promise<{ readonly app: App; readonly tokens: Tokens }> {
  const { ann } = people
  const app = await App.create()
  const tokens = await app.signIn(ann)
  const record = { text: 'by an app', createdAt: server.clock.now().toISOString() }
  const input = { repo: ann.did, collection: 'app.example.feed.post', record }
  body(await app.call('com.core.repo.createRecord', tokens, { input }))
  const allowed = await App.create()
  await allowed.code(ann)
  const waiting = await App.create()
  const { request_uri } = (await waiting.request()).body
  body(await server.post('com.core.oauth.waitForApproval', { id: request_uri.split(':').at(-1) }))
  return { app, tokens }
}

/** Registers two devices, to which messages are on their way: the service cannot take them now. */
export async function addDevices(service: PushService): Promise<void> {
  const { ann, cat } = people
  service.answer = { status: 503 }
  for (const token of ['phone', 'tablet']) {
    const device = { serviceDid: service.did, token, platform: 'ios', appId: 'app' }
    await call('app.example.notification.registerPush', device, ann)
  }
  const post = await social.post(ann)
  await social.like(cat, post)
  await service.called(1)
}

/** Has a code of each purpose mailed. */
export async function requestCodes(): Promise<void> {
  const { ann } = people
  for (const what of ['AccountDelete', 'EmailUpdate']) {
    await call(`com.core.server.request${what}`, undefined, ann)
  }
  await server.post('com.core.server.requestPasswordReset', { email: ann.email })
  await call('com.core.identity.requestPlcOperationSignature', undefined, ann)
}
