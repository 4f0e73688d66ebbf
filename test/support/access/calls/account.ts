/** Calls of the methods of accounts, identities, second factors, apps, friends and moves. */
import { owner as bystander } from '../../server/setup.ts'
import { badCode, badScope, type CallTable, inactive, uniqueName } from '../model.ts'

export const accountCalls: CallTable = {
  'com.core.factor.addPasskey': () => ({ input: { name: 'x', response: {} }, answer: 'InvalidPasskey' }),
  'com.core.factor.challengePasskey': () => ({}),
  'com.core.factor.confirmTotp': () => ({
    input: { id: 'x', name: 'x', code: '000000' },
    answer: 'FactorNotFound',
  }),
  'com.core.factor.listFactors': () => ({}),
  'com.core.factor.provePasskey': () => ({ input: { response: {} }, answer: 'InvalidPasskey' }),
  'com.core.factor.removeFactor': () => ({
    input: { id: 'x', password: 'wrong' },
    answer: 'AuthenticationRequired',
  }),
  'com.core.factor.renewRecoveryCodes': () => ({
    input: { password: 'wrong' },
    answer: 'AuthenticationRequired',
  }),
  'com.core.factor.startPasskey': () => ({
    input: { password: 'wrong' },
    answer: 'AuthenticationRequired',
  }),
  'com.core.factor.startTotp': () => ({ input: { password: 'wrong' }, answer: 'AuthenticationRequired' }),
  'com.core.friend.answerPairing': () => ({ input: { id: 'x', isSame: true }, answer: 'PairingNotFound' }),
  'com.core.friend.askComputer': () => ({ input: { id: 'x' }, answer: 'NotOnLocalNetwork' }),
  'com.core.friend.conclude': () => ({ input: { id: 'x', isSame: true }, answer: 'PairingNotFound' }),
  'com.core.friend.forgetPairing': () => ({ input: { id: 'x' } }),
  'com.core.friend.listNearby': () => ({}),
  'com.core.friend.propose': ({ did, handle }) => ({
    input: { id: 'x'.repeat(16), commitment: '', card: { did, handle, name: 'x', port: 1 } },
    answer: 'NotOnLocalNetwork',
  }),
  'com.core.friend.reveal': () => ({ input: { id: 'x', nonce: '' }, answer: 'PairingNotFound' }),
  'com.core.identity.addRecoveryKey': () => ({
    input: { key: 'did:key:none', password: 'wrong' },
    answer: 'InvalidKey',
  }),
  'com.core.identity.getRecommendedDidCredentials': () => ({}),
  'com.core.identity.listRotationKeys': () => ({}),
  'com.core.identity.refreshIdentity': () => ({ input: { identifier: bystander.did } }),
  'com.core.identity.removeRecoveryKey': () => ({
    input: { key: 'did:key:none', password: 'wrong' },
    answer: 'AuthenticationRequired',
  }),
  'com.core.identity.requestPlcOperationSignature': () => ({}),
  'com.core.identity.resolveDid': () => ({ params: { did: bystander.did } }),
  'com.core.identity.resolveHandle': () => ({ params: { handle: bystander.handle } }),
  'com.core.identity.resolveIdentity': () => ({ params: { identifier: bystander.did } }),
  'com.core.identity.signPlcOperation': () => ({
    input: { token: 'AAAAA-AAAAA' },
    answer: badCode,
  }),
  'com.core.identity.submitPlcOperation': () => ({ input: { operation: {} }, answer: 'InvalidRequest' }),
  'com.core.identity.updateHandle': () => ({ input: { handle: `${uniqueName()}.test` } }),
  'com.core.lexicon.resolveLexicon': () => ({
    params: { nsid: 'example.notes.note' },
    answer: 'LexiconNotFound',
  }),
  'com.core.move.cancelMove': () => ({ answer: 'MoveRefused' }),
  'com.core.move.continueMove': () => ({ input: {}, answer: 'MoveRefused' }),
  'com.core.move.describeServer': () => ({ params: { server: 'localhost' }, answer: 'MoveRefused' }),
  'com.core.move.findAccount': () => ({ params: { identifier: 'no handle' }, answer: 'MoveRefused' }),
  'com.core.move.getMove': () => ({}),
  'com.core.move.moveIn': () => ({
    input: { identifier: 'a.example', password: 'a', handle: 'a.test', newPassword: 'b' },
    answer: 'MoveRefused',
  }),
  'com.core.move.moveOut': () => ({
    input: { server: 'localhost', password: 'a password' },
    answer: 'MoveRefused',
  }),
  'com.core.move.prepareRecovery': () => ({
    input: { identifier: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', key: 'did:key:zDnae' },
    answer: 'MoveRefused',
  }),
  'com.core.oauth.decideRequest': () => ({ input: { id: 'x', isAllowed: true }, answer: 'RequestNotFound' }),
  'com.core.oauth.declineSilentRequest': () => ({ input: { id: 'x' }, answer: 'RequestNotFound' }),
  'com.core.oauth.getRequest': () => ({ params: { id: 'x' }, answer: 'RequestNotFound' }),
  'com.core.oauth.listRequests': () => ({}),
  'com.core.oauth.waitForApproval': () => ({ input: { id: 'x' }, answer: 'RequestNotFound' }),
  'com.core.server.activateAccount': ({ state }) => ({
    answer: state === 'suspended' || state === 'takendown' ? inactive[state] : undefined,
  }),
  'com.core.server.checkAccountStatus': () => ({}),
  'com.core.server.checkDomain': () => ({ params: { domain: bystander.handle } }),
  'com.core.server.confirmEmail': () => ({
    input: { email: 'another@mail.test', token: 'AAAAA-AAAAA' },
    answer: 'InvalidEmail',
  }),
  'com.core.server.createAccount': () => ({ input: { handle: `${uniqueName()}.test` } }),
  'com.core.server.createAppPassword': () => ({ input: { name: 'another' } }),
  'com.core.server.createCode': () => ({
    input: { purpose: 'deleteAccount', password: 'wrong' },
    answer: 'AuthenticationRequired',
  }),
  'com.core.server.createInviteCode': () => ({ input: { useCount: 1 } }),
  'com.core.server.createInviteCodes': () => ({ input: { codeCount: 1, useCount: 1 } }),
  'com.core.server.createSession': ({ state, handle, password }) => ({
    input: { identifier: handle, password },
    answer: { takendown: 'AccountTakedown', deleted: 'AuthenticationRequired' }[state as string],
  }),
  'com.core.server.deactivateAccount': () => ({ input: {} }),
  'com.core.server.deleteAccount': ({ did }) => ({
    input: { did, password: 'wrong', token: 'AAAAA-AAAAA' },
    answer: 'AuthenticationRequired',
  }),
  'com.core.server.deleteSession': () => ({}),
  'com.core.server.describeServer': () => ({}),
  'com.core.server.getAccountInviteCodes': () => ({}),
  'com.core.server.getServiceAuth': (_, token) => ({
    params: { aud: 'did:web:pds.example', lxm: 'com.core.server.createAccount' },
    answer: token === 'app password' ? 'InvalidToken: Bad token method' : undefined,
  }),
  'com.core.server.getSession': () => ({}),
  'com.core.server.getUsage': () => ({}),
  'com.core.server.listAppPasswords': () => ({}),
  'com.core.server.listSecurityChanges': () => ({}),
  'com.core.server.listSessions': () => ({}),
  'com.core.server.listVisitors': () => ({}),
  'com.core.server.receiveProbe': () => ({
    params: { nonce: 'unknown' },
    input: {},
    answer: 'ProbeNotFound',
  }),
  'com.core.server.refreshSession': (_, token) => ({
    answer: token === 'takendown refresh' ? 'AccountTakedown' : undefined,
  }),
  'com.core.server.requestAccountDelete': () => ({}),
  'com.core.server.requestEmailConfirmation': () => ({}),
  'com.core.server.requestEmailUpdate': () => ({}),
  'com.core.server.requestPasswordReset': ({ email }) => ({ input: { email } }),
  'com.core.server.reserveSigningKey': () => ({ input: { did: `did:web:${uniqueName()}.example` } }),
  'com.core.server.resetPassword': () => ({
    input: { token: 'AAAAA-AAAAA', password: 'another password' },
    answer: badCode,
  }),
  'com.core.server.revokeAppPassword': (_, token) => ({
    input: { name: 'another' },
    answer: token === 'app password' || token === 'privileged' ? badScope : undefined,
  }),
  'com.core.server.revokeSession': () => ({ input: { id: 'none' } }),
  'com.core.server.updateEmail': () => ({
    input: { email: `${uniqueName()}@mail.test`, password: 'wrong' },
    answer: 'AuthenticationRequired',
  }),
}
