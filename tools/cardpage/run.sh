#!/bin/bash
# Runs everything that needs an NVIDIA card, and writes what it prints to a folder, from which this command makes the
# page: run.sh BIN LOGS COMMIT [JOBS]. BIN has test binaries, gen.test, cuda.test and cpu.test, the programs moe, nbody
# and image, card.cu of gen_test/peers, and of the repository the folders gen, shaders and examples/gemm. It may have a
# picture, in.png, and checkouts of projects in the folder p. SEEDS and FIRST say how many random kernels each of JOBS
# processes compares, and their seeds.
bin=$(realpath "$1") logs=$2 commit=$3 jobs=${4:-14}
mkdir -p "$logs" && logs=$(realpath "$logs")
export METALGEN_CARD=1 METALGEN_COMMIT=$commit logs bin
mkdir -p "$bin/gen_test" "$bin/runtime/internal/cuda" # tests find files from where they are in the repository
one() { # NAME SECONDS COMMAND...: each in a process of its own, which a lost context ends alone
	local name=$1 limit=$2
	shift 2
	timeout -k 5 "$limit" "$@" >"$logs/$name.txt" 2>&1
	local rc=$?
	[ $rc = 0 ] || echo "exit status $rc" >>"$logs/$name.txt"
}
export -f one

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sort -u >"$logs/driver.txt"
cd "$bin/runtime/internal/cuda" || exit 1
one card 120 "$bin/cuda.test" -test.v -test.run CardPage
cd "$bin/gen_test" || exit 1
nvcc -O3 -arch=native "$bin/card.cu" -o "$bin/peers" 2>"$logs/nvcc.txt"
METALGEN_CARD_PEERS=$bin/peers one speed 120 "$bin/gen.test" -test.v -test.run 'TestCardSpeed$'
CUDA_CACHE_PATH=$(mktemp -d) && export CUDA_CACHE_PATH # empty, and then not
one overhead 60 "$bin/gen.test" -test.v -test.run 'TestCardOverhead$'
one next 60 "$bin/gen.test" -test.v -test.run 'TestCardOverhead$'
sed -n 's/^first calls/first calls of the next process/p' "$logs/next.txt" >>"$logs/overhead.txt"
cd "$bin/runtime/internal/cuda" || exit 1
tests='Products|Fault|Kept|Grids|Wrapped|Times|Events|Cache|Memory|Messages|Functions|Started|Stop|Graph|Failed'
"$bin/cuda.test" -test.list "$tests" | grep '^Test' |
	xargs -P "$jobs" -I{} bash -c 'one cuda-{} 60 $bin/cuda.test -test.v -test.run "^{}$"'
cd "$bin/gen_test" || exit 1
export METALGEN_DEVICE=cuda
"$bin/gen.test" -test.list . | grep '^Test' | grep -v 'ThroughThe\|OnEvery\|TestCard\|TablesAreNamed' |
	xargs -P "$jobs" -I{} bash -c 'one gen-{} 60 $bin/gen.test -test.v -test.run "^{}$"'
cd "$bin" || exit 1
language='InBuffersAre|Messages|TexelsOf|TexelsAre(Read|Written)|TexturesAre|OfTextures|ForTextures|OnTexels|Gradients'
./cpu.test -test.list "$language|SamplersOf" | grep '^Test' |
	xargs -P "$jobs" -I{} bash -c 'one language-{} 60 ./cpu.test -test.v -test.run "^{}$"'
one examples-moe 60 ./moe
one examples-nbody 60 ./nbody -bodies 512 -frames 8 "$logs/nbody.gif"
if [ -f in.png ]; then
	one examples-image 60 ./image -width 128 -blur 1.5 in.png cuda.png
	METALGEN_DEVICE=cpu ./image -width 128 -blur 1.5 in.png cpu.png >/dev/null
	cmp cuda.png cpu.png >>"$logs/examples-image.txt" 2>&1 &&
		echo "the picture of the CPU device" >>"$logs/examples-image.txt"
fi
if [ -d p ]; then
	export METALGEN_PROJECTS="ggml=$bin/p/ggml mlx=$bin/p/mlx candle=$bin/p/candle mlx-native=$bin/p/mlx-native"
	./cpu.test -test.list '^Test(GGML|MLX|Candle|Native)' | grep '^Test' | grep -v NativeCode |
		xargs -P "$jobs" -I{} bash -c 'one proj-{} 120 ./cpu.test -test.v -test.run "^{}$"'
fi
unset METALGEN_DEVICE
export seeds=${SEEDS:-1000} first=${FIRST:-1000000}
[ "$seeds" = 0 ] || seq 0 $((jobs - 1)) |
	xargs -P "$jobs" -I{} bash -c \
		'one random-{} 500 ./cuda.test -test.v -test.run CPUDeviceDoes -kernels $seeds \
			-firstkernel $((first + {} * seeds))'
exit 0
