#!/usr/bin/env bash
# Asks before a `git push`. Bash alone: no jq, no other program.
set -u
LC_ALL=C # lengths are bytes

declare -A at # every plain value of a message by its path, as the JSON text has it: at[.params.kind]='"before_tool_call"'

# Take a JSON text apart into `at`.
take_apart() {
  local rest=$1 token path="" key="" wants_key=0
  local -a outer=() keys=()
  local pattern='^[[:space:]]*("([^"\\]|\\.)*"|[][{}:,]|[^][{}:,"[:space:]]+)'
  at=()
  while [[ $rest =~ $pattern ]]; do
    token=${BASH_REMATCH[1]}
    rest=${rest:${#BASH_REMATCH[0]}}
    case $token in
      '{' | '[')
        outer+=("$path") keys+=("$wants_key")
        path+=${key:+.$key} key=""
        if [[ $token == '{' ]]; then wants_key=1; else wants_key=2 key=0; fi
        ;;
      '}' | ']')
        path=${outer[-1]} wants_key=${keys[-1]} key=""
        unset 'outer[-1]' 'keys[-1]'
        [[ $wants_key == 0 ]] && wants_key=1
        ;;
      ',') if [[ $wants_key == 2 ]]; then key=item; else wants_key=1; fi ;;
      ':') ;;
      *)
        if [[ $wants_key == 1 ]]; then
          key=${token:1:${#token}-2} wants_key=0
        else
          at[$path.$key]=$token
        fi
        ;;
    esac
  done
}

# Read one message into `body`; fails at the end of the input.
receive() {
  local line length=""
  while IFS= read -r line; do
    line=${line%$'\r'}
    if [[ -z $line ]]; then
      [[ -n $length ]] || return 1
      IFS= read -r -N "$length" body
      return
    fi
    [[ ${line,,} =~ ^content-length:[[:space:]]*([0-9]+)[[:space:]]*$ ]] && length=${BASH_REMATCH[1]}
  done
  return 1
}

# Answer the message of this id: send ID result|error JSON
send() {
  local reply="{\"jsonrpc\":\"2.0\",\"id\":$1,\"$2\":$3}"
  printf 'Content-Length: %d\r\n\r\n%s' "${#reply}" "$reply"
}

handle() {
  local command=${at[.params.tool_input.command]:-'""'}
  if [[ $command =~ git\ push[^\&\;\|]*\ (-f|--force)($|[\ \"\&\;\|]) ]]; then
    send "$1" result '{"action":"confirm","message":"Overwrite what others may have on the server?"}'
  elif [[ $command == *'git push'* ]]; then
    send "$1" result '{"action":"confirm","message":"Send these commits to the server?"}'
  else
    send "$1" result '{"action":"continue"}'
  fi
}

while receive; do
  take_apart "$body"
  id=${at[.id]:-}
  [[ -n $id ]] || continue # a notification wants no answer
  case ${at[.method]} in
    '"initialize"') send "$id" result '{"protocol_version":1,"capabilities":{}}' ;;
    '"hook.handle"') handle "$id" ;;
    '"shutdown"')
      send "$id" result null
      exit 0
      ;;
    *) send "$id" error '{"code":-32601,"message":"no such method"}' ;;
  esac
done
