/** What honest people and apps do: they sign in, repeat what failed, refresh, use and sign out. */
import { issuer } from '../accounts/oauth.ts'
import type { Account } from '../server/server.ts'
import { decide, listRequests, openLink, readRequest, type View, waitForWindow } from './driver.ts'
import { challengeOf, type Flow, newSecret, type Person, type World } from './world.ts'

/** Failures after which a person begins a sign-in again in the app. */
const patience = 3

export function beginSignIn(world: World, flow: Pick<Flow, 'at' | 'hasHint' | 'isInWindow' | 'scope'>): Flow {
  const begun: Flow = {
    ...flow,
    stage: 'new',
    secret: newSecret(),
    id: '',
    number: undefined,
    unanswered: undefined,
    failures: 0,
    spentMs: 0,
    isOverheard: false,
  }
  world.flows.push(begun)
  return begun
}

/** Takes the next step of a sign-in. @param isLost whether its answer does not arrive */
export async function continueSignIn(world: World, flow: Flow, isLost: boolean): Promise<void> {
  world.spend(flow)
  const stage = flow.stage
  await steps[flow.stage](world, flow, isLost)
  if (isLost) flow.spentMs = 0
  if (flow.stage === stage && !isLost && ++flow.failures >= patience) restart(flow)
  if (flow.stage !== stage) flow.failures = 0
  await world.standing()
}

/** The person begins again in the app. */
function restart(flow: Flow): void {
  flow.at.pending.delete(flow.secret.state)
  Object.assign(flow, {
    stage: 'new',
    failures: 0,
    id: '',
    number: undefined,
    unanswered: undefined,
    secret: newSecret(),
  })
}

type Step = (world: World, flow: Flow, isLost: boolean) => Promise<void>

const steps: Record<Flow['stage'], Step> = {
  async new(world, flow, isLost) {
    const { app, person, program, pending } = flow.at
    const secret = newSecret()
    const { status, body } = await app.request({
      redirect_uri: program.redirect,
      scope: flow.scope,
      state: secret.state,
      code_challenge: challengeOf(secret),
      login_hint: flow.hasHint ? person.account.handle : undefined,
    })
    if (status !== 201 || isLost) return
    const id = body.request_uri.split(':').at(-1)
    pending.set(secret.state, flow)
    world.ids.set(secret.state, id)
    Object.assign(flow, { stage: 'pushed', secret, id })
  },

  async pushed(world, flow, isLost) {
    const id = await openLink(flow.at.app, flow.id)
    const view = id === undefined ? undefined : await readRequest(id)
    if (isLost) return
    if (view === undefined) return restart(flow)
    if (!flow.isInWindow) {
      flow.stage = 'shown'
      return
    }
    const number = await waitForWindow(flow.id)
    if (number === undefined) restart(flow)
    else {
      world.numbers.set(flow.id, number)
      Object.assign(flow, { stage: 'waiting', number })
    }
  },

  async shown(world, flow, isLost) {
    const view = await readRequest(flow.id)
    if (view) await allow(world, flow.at.person, view, isLost)
  },

  /** The person looks at the dialog that is open in the app window. */
  async waiting(world, flow, isLost) {
    const { person } = flow.at
    // The window repeats a decision whose answer was lost.
    if (flow.unanswered) return repeat(world, flow, flow.unanswered, isLost)
    // The page in the browser says when a request is over.
    if (!(await readRequest(flow.id))) return restart(flow)
    await world.lookAtWindows()
    const [view] = await listRequests(person.account)
    if (!view) return
    // Each dialog that is closed brings the person nearer to their own.
    flow.failures = -1
    const expected = world.flows.find(
      ({ at, stage }) => at.person === person && stage === 'waiting' && at.program.clientId === view.client,
    )
    if (!expected) await decide(person.account, { id: view.id, isAllowed: false })
    else {
      if (isLost) expected.unanswered = view
      await allow(world, person, view, isLost, expected.number)
    }
  },

  async done() {},
}

async function repeat(world: World, flow: Flow, view: View, isLost: boolean): Promise<void> {
  await allow(world, flow.at.person, view, isLost, flow.number)
  if (!isLost) flow.unanswered = undefined
}

/** A person allows what a page or a dialog shows. Their browser goes where the server sends it. */
export async function allow(
  world: World,
  person: Person,
  view: View,
  isLost: boolean,
  number?: number,
): Promise<void> {
  const location = await decideAs(world, person.account, view, number)
  await world.standing()
  if (location !== undefined && !isLost) await visit(world, person, location)
}

/** Allows a request with an account, and notes what it was shown. */
export async function decideAs(
  world: World,
  account: Account,
  view: View,
  number: number | undefined,
): Promise<string | undefined> {
  const shown = { did: account.did, scope: view.scope }
  const isNew = !world.allowed.has(view.id)
  if (isNew) world.allowed.set(view.id, shown)
  const location = await decide(account, { id: view.id, isAllowed: true, number })
  if (location === undefined) {
    if (isNew) world.allowed.delete(view.id)
    return undefined
  }
  const id = world.ids.get(URL.parse(location)?.searchParams.get('state') ?? '')
  if (id !== undefined && !world.allowed.has(id)) world.allowed.set(id, shown)
  if (id !== undefined && id !== view.id && number !== undefined && world.numbers.get(id) !== number)
    world.break('number', `${number} allowed the request with ${world.numbers.get(id)}`)
  return location
}

/** The browser of a person opens a location. An app takes only the answers to what it asked. */
export async function visit(world: World, person: Person, location: string): Promise<boolean> {
  const query = new URL(location).searchParams
  const at = world.installations.find(
    ({ person: owner, program }) => owner === person && location.startsWith(`${program.redirect}?`),
  )
  const flow = at?.pending.get(query.get('state') ?? '')
  if (!at || !flow || query.get('iss') !== issuer()) return false
  at.pending.delete(flow.secret.state)
  const code = query.get('code')
  if (code === null) restart(flow)
  else await exchange(world, flow, code)
  return true
}

/** Listeners of the attacker on the way of an answer, such as the history of a browser. */
export const overheard: { onCode: (flow: Flow, code: string) => Promise<void> } = { onCode: async () => {} }

async function exchange(world: World, flow: Flow, code: string): Promise<void> {
  const { at } = flow
  if (flow.isOverheard) {
    flow.isOverheard = false
    flow.spentMs = 0
    await overheard.onCode(flow, code)
  }
  const fields = { redirect_uri: at.program.redirect, code_verifier: flow.secret.verifier }
  const { status, body } = await at.app.exchange(code, fields)
  if (status !== 200) return restart(flow)
  world.check({ holder: at, request: flow.id, sub: body.sub, scope: body.scope })
  flow.stage = 'done'
  world.grants.push({
    at,
    sub: body.sub,
    scope: body.scope,
    access: body.access_token,
    refresh: body.refresh_token,
    lostAt: undefined,
    previous: undefined,
  })
}
