# A FIFO, /dev/stdin and "-": where one pass suffices, and what is read at random places within --memory.
cd "$data/containers"
c4w cat - <f4-1.npy --no-header
cat f4-1.npy | c4w cat - --no-header
cat f4-1.npy | c4w cat /dev/stdin --no-header
cat savez.npz | c4w ls - -1
cat savez.npz | c4w cat - a --no-header
cat sized.zst | c4w cat - | sha256sum
cat pax.tar | c4w ls -1 /dev/stdin
cat pax.tar | c4w verify -
cat pax.tar | c4w info - | grep format
cd "$OLDPWD"
mkfifo fifo
printf 'some text\n' >fifo &
c4w cat fifo
wait
head -c 3000000 /dev/zero >fifo &
c4w cat fifo --format raw | wc -c
wait
head -c 3000000 /dev/zero | code c4w ls - --memory 1M
