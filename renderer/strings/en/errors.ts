/** Errors of the server as sentences, by the name of the error. */
import { restoring } from './copies.ts'

const unexpected = 'Something went wrong on the server. Try again. If it happens again, check the log.'

export const errors = {
  unreachable: 'The server is not responding. Check that it is running, then try again.',
  unexpected,
  invalidResponse:
    'The response of the server could not be read. Reload the page: it may be older than the server.',
  partMissing:
    'A part of this page could not be loaded. Check that the server is running, then reload the page: it may be older than the server.',
  notPermitted: 'This session may not do that. Sign in with the main password of the account.',
  sessionEnded: 'Your session has ended. Sign in again.',
  tooMany: 'Too many attempts. Wait a moment, then try again.',
  tooManyUntil: (left: string) => `Too many attempts. Try again ${left}.`,
  tooLong: 'This is too long. Shorten it.',
  tooShort: 'This is too short.',
  notAccepted: 'The server does not accept what was entered. Check it, then try again.',
  byName: {
    AccountDeactivated: 'This account is deactivated. Reactivate it first.',
    AccountNotFound: 'This account no longer exists.',
    AccountSuspended: 'This account is suspended. Contact the owner of this server.',
    AccountTakedown: 'This account was taken down. Contact the owner of this server.',
    AuthenticationRequired: 'You are not signed in, or the password is wrong. Try again.',
    AuthFactorTokenRequired: 'Enter the sign-in code that was sent to the email address of this account.',
    AuthMissing: 'You are not signed in. Sign in again.',
    BadExpiration: 'This token cannot be valid for so long. Choose a shorter time.',
    DuplicateAppPassword: 'An app password with this name exists already. Choose another name.',
    ExpiredToken: 'This code has expired. Send a new one.',
    Forbidden: 'Only the owner of this server can do this.',
    HandleNotAvailable: 'This handle is already taken or reserved. Try another.',
    HandleNotFound: 'No account has this handle. Check the spelling.',
    InternalServerError: unexpected,
    InvalidEmail: 'This is not the email address of the account. Reload the page and try again.',
    InvalidHandle: 'This handle is not valid. Use 3 to 18 letters, digits or hyphens.',
    InvalidInviteCode: 'This invite code is not valid or has been used up. Ask for a new one.',
    InvalidPassword: 'This password is not valid. Use 8 to 256 characters.',
    InvalidSwap: 'The record was changed in the meantime. Check it, then try again.',
    InvalidToken: 'This code is wrong. Check it, or send a new one.',
    MailedCodeRequired:
      'The email address of this account is confirmed, so a code is sent to it. Reload the page and try again.',
    MethodNotImplemented: 'This server does not support this action. It may be older than this page.',
    NotEnoughResources: 'The server is busy or its disk is full. Try again soon.',
    NotFound: 'This account no longer exists.',
    PayloadTooLarge: 'The text is too long. Shorten it.',
    RestoreElsewhere: restoring.elsewhere,
    TokenRequired: 'A code is required. Send one to your email address.',
    TooManyAppPasswords: 'An account can have up to 100 app passwords. Revoke one that you no longer need.',
    UnsupportedDomain: 'This server does not offer handles in this domain. Choose another.',
  } as Readonly<Record<string, string>>,
}
